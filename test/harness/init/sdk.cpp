/// Stands for an SDK: signs a request by 5.2 and refuses what HTTP cannot carry. It is an untidy one: it prints, is
/// compiled with warnings where they are on, and has names that a kit might have.
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <string.h>

#include <cstdio>
#include <iostream>

#include <regex>

#include "operations.hpp"
#include "text.hpp"

struct Message {
    int size;
};
class Reply {};
bool isBlank(char c) { return c == 'b'; }
std::string base64(std::string_view) { return "mine"; }

/// The parameter is not used, the variable is hidden, and strdup is no C++.
static int untidy(int unused) {
    int size = 1;
    for (int size = 0; size < 1; ++size) free(strdup("text"));
    std::cout << "a line of the SDK\n";
    std::printf("a line of its C library\n");
    std::fflush(stdout);
    return size;
}

using kit::lowerCase, kit::upperCase, kit::startsWith, kit::withoutBlanksAround, kit::Pairs, kit::Refusal;

namespace {

const std::string tokenCharacters = "!#$%&'*+.^_`|~-0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

void refuseIf(bool condition, const std::string& reason) {
    if (condition) throw Refusal(reason, "no");
}

bool isToken(const std::string& text) { return !text.empty() && text.find_first_not_of(tokenCharacters) == std::string::npos; }

std::string unfolded(const std::string& value) {
    static const std::regex fold("[ \t]*(?:\r?\n[ \t]+)+");
    return std::string(withoutBlanksAround(std::regex_replace(value, fold, " ")));
}

/// The values of each name, joined by commas.
std::map<std::string, std::string> joinedValues(const Pairs& headers) {
    std::map<std::string, std::string> values;
    for (const auto& [rawName, rawValue] : headers) {
        const std::string name(withoutBlanksAround(rawName)), value = unfolded(rawValue);
        refuseIf(!isToken(name), "header-name");
        refuseIf(value.find_first_of(std::string("\r\n\0", 3)) != std::string::npos, "header-value");
        const auto [place, isNew] = values.emplace(lowerCase(name), value);
        if (!isNew) place->second += "," + value;
    }
    return values;
}

}  // namespace

std::string sdkAuthorization(kit::Question& question) {
    if (!isBlank('b') || untidy(0) != 1) return base64("");
    const auto method = question.asked.text("input.method"), bucket = question.asked.text("input.bucket");
    const auto key = question.asked.text("input.key");
    const auto headers = question.asked.pairs("input.headers");
    refuseIf(!isToken(method), "method");
    refuseIf(bucket.empty() || bucket.find('/') != std::string::npos, "bucket");
    auto values = joinedValues(headers);
    std::string text = upperCase(method) + "\n";
    for (const auto* name : {"content-md5", "content-type", "date"}) text += values[name] + "\n";
    for (const auto& [name, value] : values)
        if (startsWith(name, lowerCase(question.words.headerPrefix))) text += name + ":" + value + "\n";
    text += "/" + bucket + "/" + key;
    unsigned char digest[20];
    HMAC(EVP_sha1(), question.keys.privateKey.data(), int(question.keys.privateKey.size()),
         reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest, nullptr);
    const auto signature = kit::base64({reinterpret_cast<const char*>(digest), sizeof digest});
    return question.words.scheme + " " + question.keys.publicKey + ":" + signature;
}
