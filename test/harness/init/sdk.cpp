/// Stands for an SDK: signs a request by 5.2 and refuses what HTTP cannot carry.
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <regex>

#include "operations.hpp"
#include "text.hpp"

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

std::string sdkAuthorization(Question& question) {
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
    const auto signature = base64({reinterpret_cast<const char*>(digest), sizeof digest});
    return question.words.scheme + " " + question.keys.publicKey + ":" + signature;
}
