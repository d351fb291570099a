/// 5.2: the headers of a request, as they enter the string to sign.
#include "headers.hpp"

#include <algorithm>
#include <iterator>

#include "text.hpp"

namespace kit {

bool isToken(std::string_view text) {
    constexpr std::string_view marks = "!#$%&'*+-.^_`|~";
    const auto isTokenCharacter = [&](char c) { return isLetter(c) || isDigit(c) || marks.find(c) != std::string_view::npos; };
    return !text.empty() && std::all_of(text.begin(), text.end(), isTokenCharacter);
}

namespace {

void dropBlanksAtEnd(std::string& text) {
    while (!text.empty() && isBlank(text.back())) text.pop_back();
}

/// The size of the line end that this text starts with, where a blank follows it; otherwise 0.
std::size_t foldSize(std::string_view text) {
    const std::size_t size = startsWith(text, "\r\n") ? 2 : startsWith(text, "\n") ? 1 : 0;
    return size != 0 && size < text.size() && isBlank(text[size]) ? size : 0;
}

/// step 4: folds, with the blanks around them, become one space.
std::string unfolded(std::string_view value) {
    std::string text;
    while (!value.empty()) {
        const auto size = foldSize(value);
        if (size == 0) {
            text += value.front();
            value.remove_prefix(1);
            continue;
        }
        value.remove_prefix(size);
        while (!value.empty() && isBlank(value.front())) value.remove_prefix(1);
        dropBlanksAtEnd(text);
        text += ' ';
    }
    return text;
}

}  // namespace

std::string sendableValue(std::string_view value) {
    const std::string text = unfolded(value);
    if (text.find_first_of(std::string_view("\r\n\0", 3)) != std::string::npos)
        throw Refusal("header-value", "a header's value has a line end that is no fold, or a NUL; no request can hold it");
    return std::string(withoutBlanksAround(text));
}

SortedHeaders sendableHeaders(const Pairs& headers) {
    SortedHeaders sorted;
    for (const auto& [name, value] : headers) {
        std::string lower = lowerCase(name);  // step 1
        dropBlanksAtEnd(lower);               // step 5
        if (!isToken(lower)) throw Refusal("header-name", "a header's name is not a token; no request can hold it");
        sorted.emplace(std::move(lower), sendableValue(value));
    }
    return sorted;
}

std::string canonicalHeaders(const SortedHeaders& headers, const std::string& prefix) {
    const std::string start = lowerCase(prefix);
    std::string text;
    for (auto entry = headers.lower_bound(start); entry != headers.end() && startsWith(entry->first, start);) {
        const auto end = headers.upper_bound(entry->first);
        text += entry->first + ':' + entry->second;
        while (++entry != end) text += ',' + entry->second;  // step 3
        text += '\n';                                        // step 6
    }
    return text;
}

std::optional<std::string> singleValue(const SortedHeaders& headers, const std::string& name) {
    const auto [first, end] = headers.equal_range(name);
    if (first == end) return std::nullopt;
    if (std::next(first) != end)
        throw Refusal("header-repeated", name + " is there twice; section 5.2 signs one value");
    return first->second;
}

}  // namespace kit
