#include "wire.hpp"

#include <algorithm>
#include <fstream>
#include <iostream>
#include <sstream>

#include "text.hpp"

namespace kit {

namespace {

constexpr std::size_t longestLine = 8 * 1024 * 1024;

/// Without its line feed; nothing where the input ends.
std::optional<std::string> nextLine(std::istream& in) {
    std::string line;
    if (!std::getline(in, line)) return std::nullopt;
    if (in.eof()) throw Malformed("the input ends inside a line");
    if (line.size() > longestLine) throw Malformed("a line is longer than 8 MiB");
    return line;
}

std::string unescaped(std::string_view text) {
    std::string plain;
    while (!text.empty()) {
        const auto at = std::min(text.find('\\'), text.size());
        plain += text.substr(0, at);
        text.remove_prefix(at);
        if (text.empty()) break;
        constexpr std::string_view names = "nt\\", meant = "\n\t\\";
        const auto place = text.size() < 2 ? std::string_view::npos : names.find(text[1]);
        if (place == std::string_view::npos) throw Malformed("a backslash before something other than n, t and itself");
        plain += meant[place];
        text.remove_prefix(2);
    }
    return plain;
}

std::string escaped(std::string_view text) {
    std::string line;
    for (const char c : text) {
        if (c == '\n') line += "\\n";
        else if (c == '\t') line += "\\t";
        else if (c == '\\') line += "\\\\";
        else line += c;
    }
    return line;
}

std::string at(const std::string& key, std::size_t place) { return key + '.' + std::to_string(place); }

}  // namespace

std::optional<Message> Message::read(std::istream& in) {
    Message message;
    for (;;) {
        const auto line = nextLine(in);
        if (!line && message.lines_.empty()) return std::nullopt;
        if (!line) throw Malformed("the input ends inside a message");
        if (line->empty()) break;
        if (!isUtf8(*line)) throw Malformed("a line that is not UTF-8");
        const auto [key, value] = cut(*line, '\t');
        if (!value) throw Malformed("a line without a tab");
        if (!message.lines_.emplace(key, unescaped(*value)).second) throw Malformed("a key is there twice");
    }
    if (message.lines_.empty()) throw Malformed("a message without lines");
    return message;
}

std::string Message::text(const std::string& key) {
    auto line = lines_.extract(key);
    if (!line) throw Malformed("the member " + key + " is missing");
    return std::move(line.mapped());
}

/// The number of a list's elements: no more than the message has lines.
std::size_t Message::count(const std::string& key) {
    const std::string digits = text(key);
    if (!isDigits(digits) || digits.size() > 9 || (digits.size() > 1 && digits[0] == '0'))
        throw Malformed("the count of " + key + " is not a number");
    const auto count = static_cast<std::size_t>(std::stoul(digits));
    if (count > lines_.size()) throw Malformed("the list " + key + " has fewer elements than its count");
    return count;
}

Pairs Message::pairs(const std::string& key) {
    Pairs pairs(count(key));
    for (std::size_t place = 0; place < pairs.size(); ++place)
        pairs[place] = {text(at(key, place) + ".0"), text(at(key, place) + ".1")};
    return pairs;
}

List Message::items(const std::string& key, int level) {
    List items(count(key));
    for (std::size_t place = 0; place < items.size(); ++place) items[place] = value(at(key, place), level);
    return items;
}

Parameters Message::members(const std::string& key, int level) {
    Parameters members(count(key));
    for (std::size_t place = 0; place < members.size(); ++place)
        members[place] = {text(at(key, place) + ".0"), value(at(key, place) + ".1", level)};
    return members;
}

Value Message::value(const std::string& key, int level) {
    if (has(key)) return {text(key)};
    if (has(key + ".number")) return {Number{text(key + ".number")}};
    if (has(key + ".null")) {
        text(key + ".null");
        return {Null{}};
    }
    if (has(key + ".boolean")) {
        const std::string word = text(key + ".boolean");
        if (word != "true" && word != "false") throw Malformed("the boolean " + key + " is neither true nor false");
        return {word == "true"};
    }
    if (level == mostLevels) throw std::length_error("the parameters nest deeper than 500 levels");
    if (has(key + ".list")) return {items(key + ".list", level + 1)};
    return {members(key + ".object", level + 1)};
}

std::unique_ptr<std::istream> Message::content(const std::string& key) {
    if (has(key + ".file")) {
        const std::string path = text(key + ".file");
        auto file = std::make_unique<std::ifstream>(path, std::ios::binary);
        if (!*file) throw std::runtime_error("the file cannot be opened");
        return file;
    }
    auto bytes = base64Decoded(text(key + ".bytes"));
    if (!bytes) throw Malformed(key + ".bytes is not Base64");
    return std::make_unique<std::istringstream>(*std::move(bytes));
}

void Message::requireAllTaken() const {
    if (!lines_.empty()) throw Malformed("a key that no member has and no list counts");
}

Reply& Reply::line(const std::string& key, std::string_view value) {
    lines_ += key + '\t' + escaped(value) + '\n';
    return *this;
}

Reply& Reply::list(const std::string& key, const std::vector<std::string>& elements) {
    line(key, std::to_string(elements.size()));
    for (std::size_t place = 0; place < elements.size(); ++place) line(at(key, place), elements[place]);
    return *this;
}

Reply& Reply::list(const std::string& key, const Pairs& elements) {
    line(key, std::to_string(elements.size()));
    for (std::size_t place = 0; place < elements.size(); ++place)
        line(at(key, place) + ".0", elements[place].first).line(at(key, place) + ".1", elements[place].second);
    return *this;
}

void Reply::write(std::FILE* to) const {
    const std::string message = lines_ + '\n';
    const bool written = std::fwrite(message.data(), 1, message.size(), to) == message.size() && std::fflush(to) == 0;
    if (!written) throw std::runtime_error("the reply cannot be written");
}

}  // namespace kit
