#include "text.hpp"

#include <openssl/evp.h>

#include <algorithm>
#include <limits>
#include <stdexcept>

namespace kit {

bool isDigit(char c) { return c >= '0' && c <= '9'; }

bool isLetter(char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'); }

bool isBlank(char c) { return c == ' ' || c == '\t'; }

bool isDigits(std::string_view text) { return !text.empty() && std::all_of(text.begin(), text.end(), isDigit); }

std::string lowerCase(std::string_view text) {
    std::string lower(text);
    for (char& c : lower)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return lower;
}

std::string upperCase(std::string_view text) {
    std::string upper(text);
    for (char& c : upper)
        if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    return upper;
}

std::string_view withoutBlanksAround(std::string_view text) {
    while (!text.empty() && isBlank(text.front())) text.remove_prefix(1);
    while (!text.empty() && isBlank(text.back())) text.remove_suffix(1);
    return text;
}

bool startsWith(std::string_view text, std::string_view start) { return text.substr(0, start.size()) == start; }

std::pair<std::string_view, std::optional<std::string_view>> cut(std::string_view text, char separator) {
    const auto at = text.find(separator);
    if (at == std::string_view::npos) return {text, std::nullopt};
    return {text.substr(0, at), text.substr(at + 1)};
}

namespace {

std::string percentEncoded(std::string_view text, std::string_view kept) {
    constexpr std::string_view digits = "0123456789ABCDEF";
    std::string encoded;
    for (const char c : text) {
        if (isLetter(c) || isDigit(c) || kept.find(c) != std::string_view::npos) {
            encoded += c;
            continue;
        }
        const auto byte = static_cast<unsigned char>(c);
        encoded += {'%', digits[byte >> 4], digits[byte & 15]};
    }
    return encoded;
}

std::optional<unsigned> hexadecimalValue(std::string_view digits) {
    unsigned value = 0;
    for (const char c : lowerCase(digits)) {
        const auto place = std::string_view("0123456789abcdef").find(c);
        if (place == std::string_view::npos) return std::nullopt;
        value = value * 16 + static_cast<unsigned>(place);
    }
    return value;
}

/// libcrypto counts in int.
int sizeForLibcrypto(std::string_view text) {
    if (text.size() > static_cast<std::size_t>(std::numeric_limits<int>::max()) / 2)
        throw std::length_error("a text of more than 1 GiB");
    return static_cast<int>(text.size());
}

const unsigned char* bytesOf(std::string_view text) { return reinterpret_cast<const unsigned char*>(text.data()); }

}  // namespace

std::string urlEncoded(std::string_view text) { return percentEncoded(text, "-_.~"); }

std::string pathEncoded(std::string_view text) { return percentEncoded(text, "-_.~/"); }

std::optional<std::string> urlDecoded(std::string_view text) {
    std::string decoded;
    while (!text.empty()) {
        if (text.front() != '%') {
            decoded += text.front();
            text.remove_prefix(1);
            continue;
        }
        const auto byte = hexadecimalValue(text.substr(1, 2));
        if (text.size() < 3 || !byte) return std::nullopt;
        decoded += static_cast<char>(*byte);
        text.remove_prefix(3);
    }
    if (!isUtf8(decoded)) return std::nullopt;
    return decoded;
}

std::string base64(std::string_view bytes) {
    const int size = sizeForLibcrypto(bytes);
    // EVP_EncodeBlock writes a NUL behind the text.
    std::string encoded(bytes.size() / 3 * 4 + 5, '\0');
    const int length = EVP_EncodeBlock(reinterpret_cast<unsigned char*>(encoded.data()), bytesOf(bytes), size);
    encoded.resize(static_cast<std::size_t>(length));
    return encoded;
}

std::string base64Url(std::string_view bytes) {
    std::string encoded = base64(bytes);
    std::replace(encoded.begin(), encoded.end(), '+', '-');
    std::replace(encoded.begin(), encoded.end(), '/', '_');
    return encoded;
}

std::optional<std::string> base64Decoded(std::string_view text) {
    const auto isSign = [](char c) { return isLetter(c) || isDigit(c) || c == '+' || c == '/'; };
    const auto end = std::find_if_not(text.begin(), text.end(), isSign);
    const auto padding = static_cast<std::size_t>(text.end() - end);
    if (text.size() % 4 != 0 || padding > 2 || std::count(end, text.end(), '=') != text.end() - end) return std::nullopt;
    std::string bytes(text.size() / 4 * 3, '\0');
    if (text.empty()) return bytes;
    const int size = sizeForLibcrypto(text);
    if (EVP_DecodeBlock(reinterpret_cast<unsigned char*>(bytes.data()), bytesOf(text), size) < 0) return std::nullopt;
    bytes.resize(bytes.size() - padding);
    return bytes;
}

std::string hexadecimal(std::string_view bytes) {
    constexpr std::string_view digits = "0123456789abcdef";
    std::string text;
    for (const char c : bytes) {
        const auto byte = static_cast<unsigned char>(c);
        text += {digits[byte >> 4], digits[byte & 15]};
    }
    return text;
}

std::string jsonText(std::string_view text) {
    constexpr std::string_view controls = "\b\f\n\r\t", names = "bfnrt";
    std::string json = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') json += {'\\', c};
        else if (const auto place = controls.find(c); place != std::string_view::npos) json += {'\\', names[place]};
        else if (static_cast<unsigned char>(c) < 0x20) json += "\\u00" + hexadecimal({&c, 1});
        else json += c;
    }
    return json + '"';
}

bool isUtf8(std::string_view text) {
    for (std::size_t at = 0; at < text.size();) {
        const auto first = static_cast<unsigned char>(text[at++]);
        if (first < 0x80) continue;
        // RFC 3629: neither more bytes than needed, nor an unpaired surrogate, nor beyond U+10FFFF.
        const int more = first >= 0xF0 ? 3 : first >= 0xE0 ? 2 : 1;
        if (first < 0xC2 || first > 0xF4) return false;
        unsigned low = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
        unsigned high = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
        for (int i = 0; i < more; ++i, low = 0x80, high = 0xBF) {
            if (at == text.size()) return false;
            const auto next = static_cast<unsigned char>(text[at++]);
            if (next < low || next > high) return false;
        }
    }
    return true;
}

}  // namespace kit
