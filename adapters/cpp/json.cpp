/// The JSON of a request's body (RFC 8259), with every digit of its numbers.
#include <algorithm>

#include "signing.hpp"
#include "text.hpp"

namespace kit {

namespace {

[[noreturn]] void refuseBody() { throw Refusal("body-malformed", "the body is not JSON, or nests too deep"); }

std::string utf8(unsigned point) {
    const auto rest = [point](int shift) { return static_cast<char>(0x80 | (point >> shift & 0x3F)); };
    if (point < 0x80) return {static_cast<char>(point)};
    if (point < 0x800) return {static_cast<char>(0xC0 | point >> 6), rest(0)};
    if (point < 0x10000) return {static_cast<char>(0xE0 | point >> 12), rest(6), rest(0)};
    return {static_cast<char>(0xF0 | point >> 18), rest(12), rest(6), rest(0)};
}

class JsonReader {
public:
    explicit JsonReader(std::string_view text) : rest_(text) {}

    Value whole() {
        Value value = next(mostLevels);
        skipSpace();
        if (!rest_.empty()) refuseBody();
        return value;
    }

private:
    void skipSpace() { rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t\r\n"), rest_.size())); }

    bool takes(std::string_view word) {
        if (!startsWith(rest_, word)) return false;
        rest_.remove_prefix(word.size());
        return true;
    }

    void mustTake(std::string_view word) {
        if (!takes(word)) refuseBody();
    }

    char taken() {
        if (rest_.empty()) refuseBody();
        const char c = rest_.front();
        rest_.remove_prefix(1);
        return c;
    }

    Value next(int levels) {
        skipSpace();
        if (startsWith(rest_, "\"")) return {text()};
        if (takes("{")) return {members(levels - 1)};
        if (takes("[")) return {items(levels - 1)};
        if (takes("true")) return {true};
        if (takes("false")) return {false};
        if (takes("null")) return {Null{}};
        return {number()};
    }

    Parameters members(int levels) {
        Parameters members;
        commaSeparated("}", levels, [&] {
            skipSpace();
            std::string name = text();
            skipSpace();
            mustTake(":");
            members.push_back({std::move(name), next(levels)});
        });
        return members;
    }

    List items(int levels) {
        List items;
        commaSeparated("]", levels, [&] { items.push_back(next(levels)); });
        return items;
    }

    template <typename Element>
    void commaSeparated(std::string_view end, int levels, Element element) {
        if (levels < 0) refuseBody();
        skipSpace();
        if (takes(end)) return;
        do {
            element();
            skipSpace();
        } while (takes(","));
        mustTake(end);
    }

    Number number() {
        const auto size = std::min(rest_.find_first_not_of("0123456789+-.eE"), rest_.size());
        std::string digits(rest_.substr(0, size));
        rest_.remove_prefix(size);
        plainDecimal(digits);
        return {std::move(digits)};
    }

    std::string text() {
        mustTake("\"");
        std::string text;
        for (;;) {
            const char c = taken();
            if (c == '"') return text;
            if (static_cast<unsigned char>(c) < 0x20) refuseBody();
            if (c == '\\') text += escaped();
            else text += c;
        }
    }

    std::string escaped() {
        constexpr std::string_view names = "\"\\/bfnrt", meant = "\"\\/\b\f\n\r\t";
        const char name = taken();
        if (name == 'u') return utf8(character());
        const auto place = names.find(name);
        if (place == std::string_view::npos) refuseBody();
        return {meant[place]};
    }

    /// One code unit, or both halves of a pair: half a pair is no character.
    unsigned character() {
        const unsigned first = codeUnit();
        if (first < 0xD800 || first > 0xDFFF) return first;
        if (first > 0xDBFF) refuseBody();
        mustTake("\\u");
        const unsigned second = codeUnit();
        if (second < 0xDC00 || second > 0xDFFF) refuseBody();
        return 0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00);
    }

    unsigned codeUnit() {
        constexpr std::string_view digits = "0123456789abcdef";
        unsigned unit = 0;
        for (const char c : lowerCase(rest_.substr(0, 4))) {
            const auto place = digits.find(c);
            if (place == std::string_view::npos) refuseBody();
            unit = unit * 16 + static_cast<unsigned>(place);
        }
        if (rest_.size() < 4) refuseBody();
        rest_.remove_prefix(4);
        return unit;
    }

    std::string_view rest_;
};

}  // namespace

Value parsedJson(std::string_view text) { return JsonReader(text).whole(); }

}  // namespace kit
