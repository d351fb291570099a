/// 5: what a server does with a signed request.
#include <openssl/crypto.h>

#include <algorithm>
#include <iterator>
#include <optional>

#include "headers.hpp"
#include "signing.hpp"
#include "text.hpp"

namespace kit {

namespace {

/// A compare that takes as long for a first wrong byte as for a last one.
void requireSignature(const std::string& computed, std::string_view sent) {
    if (computed.size() != sent.size() || CRYPTO_memcmp(computed.data(), sent.data(), sent.size()) != 0)
        throw Refusal("signature-mismatch", "the signature is not the one that the request has with the account's key");
}

/// What an Authorization header says (5.2, callback policy).
struct Credentials {
    std::string_view publicKey, signature;
    std::string policy;
};

[[noreturn]] void refuseHeader() {
    throw Refusal("authorization-malformed", "the Authorization header is not scheme, space, public key, colon, signature");
}

Credentials credentialsIn(std::string_view header, const std::string& scheme) {
    const auto [word, rest] = cut(header, ' ');
    if (word != scheme || !rest || rest->find_first_of(" \t") != std::string_view::npos) refuseHeader();
    const auto [publicKey, behindKey] = cut(*rest, ':');
    if (publicKey.empty() || !behindKey) refuseHeader();
    const auto [signature, policy] = cut(*behindKey, ':');
    if (signature.empty() || (policy && (policy->empty() || policy->find(':') != std::string_view::npos))) refuseHeader();
    return {publicKey, signature, std::string(policy.value_or(""))};
}

bool isUpload(const std::string& method) { return upperCase(method) == "PUT" || upperCase(method) == "POST"; }

/// Base64 of a JSON object. Without this check, the end of another key passes as a policy.
bool isPolicy(std::string text) {
    std::replace(text.begin(), text.end(), '-', '+');
    std::replace(text.begin(), text.end(), '_', '/');
    text.append((4 - text.size() % 4) % 4, '=');
    const auto json = base64Decoded(text);
    try {
        return json && isUtf8(*json) && std::holds_alternative<Parameters>(parsedJson(*json).is);
    } catch (const Refusal&) {
        return false;
    }
}

Pairs decodedQuery(std::string_view query) {
    Pairs pairs;
    for (std::optional<std::string_view> rest = query; rest;) {
        const auto [pair, more] = cut(*rest, '&');
        rest = more;
        if (pair.empty()) continue;
        const auto [name, value] = cut(pair, '=');
        auto decodedName = urlDecoded(name), decodedValue = urlDecoded(value.value_or(""));
        if (!decodedName || !decodedValue)
            throw Refusal("query-malformed", "the query has an escape that is none, or whose bytes are no UTF-8");
        pairs.emplace_back(*std::move(decodedName), *std::move(decodedValue));
    }
    return pairs;
}

/// The parts of a URL that decide (5.4).
struct UrlParts {
    std::string bucket, key;
    std::string_view query;
};

[[noreturn]] void refuseUrl(const std::string& message) { throw Refusal("url-malformed", message); }

/// What stands before a dot and the file host, whatever the case of the host.
std::string bucketOf(std::string_view host, const std::string& fileHost) {
    const std::string end = '.' + lowerCase(fileHost);
    const auto size = host.size() - std::min(host.size(), end.size());
    const auto bucket = host.substr(0, size);
    if (bucket.empty() || lowerCase(host.substr(size)) != end || bucket.find('@') != std::string_view::npos)
        refuseUrl("the URL's host is not a bucket, a dot and the file host");
    return std::string(bucket);
}

UrlParts urlParts(std::string_view url, const std::string& fileHost) {
    // A fragment is never sent, so no server sees one.
    if (url.find('#') != std::string_view::npos) refuseUrl("the URL has a fragment");
    const auto [schemeName, behindScheme] = cut(url, ':');
    const std::string scheme = lowerCase(schemeName);
    if ((scheme != "http" && scheme != "https") || !startsWith(behindScheme.value_or(""), "//"))
        refuseUrl("the URL is neither http nor https");
    const auto [place, query] = cut(behindScheme->substr(2), '?');
    const auto [host, path] = cut(place, '/');
    auto key = urlDecoded(path.value_or(""));
    if (!key) refuseUrl("the path has an escape that is none, or whose bytes are no UTF-8");
    return {bucketOf(host, fileHost), *std::move(key), query.value_or("")};
}

/// A parameter of a pre-signed URL, which it has once.
std::string onceIn(const Pairs& query, const std::string& name, const std::string& reasonWithout) {
    std::optional<std::string> found;
    for (const auto& [given, value] : query) {
        if (given != name) continue;
        if (found) throw Refusal("parameter-repeated", "the URL has " + name + " twice");
        found = value;
    }
    if (!found) throw Refusal(reasonWithout, "the URL has no " + name);
    return *found;
}

void requireTime(const std::string& expires, const std::string& now) {
    // The vectors hold that what has more than fifteen digits is no count of seconds.
    constexpr std::size_t mostDigits = 15;
    if (!isDigits(expires) || expires.size() > mostDigits)
        throw Refusal("expires-malformed", "Expires is not a decimal count of Unix seconds");
    if (std::stoll(now) > std::stoll(expires)) throw Refusal("expired", "the time of the URL has passed");
}

}  // namespace

void Verifier::requireAccount(std::string_view publicKey) const {
    if (publicKey != account_.keys().publicKey) throw Refusal("public-key-unknown", "the public key is not that of the account");
}

FileStages Verifier::authorization(const FileRequest& request) const {
    const auto headers = sendableHeaders(request.headers);
    const auto [header, end] = headers.equal_range("authorization");
    if (header == end) throw Refusal("authorization-missing", "the request has no Authorization header");
    if (std::next(header) != end) refuseHeader();
    const auto sent = credentialsIn(header->second, account_.words().scheme);
    if (!sent.policy.empty() && !(isUpload(request.method) && isPolicy(sent.policy)))
        throw Refusal("authorization-malformed", "a third part is a policy in Base64, and of an upload");
    requireAccount(sent.publicKey);
    auto stages = account_.request(request, sent.policy);
    requireSignature(stages.signature, sent.signature);
    return stages;
}

FileStages Verifier::presignedUrl(const std::string& method, const std::string& url, const Pairs& headers,
                                  const std::string& fileHost, const std::string& now) const {
    auto parts = urlParts(url, fileHost);
    const auto query = decodedQuery(parts.query);
    const auto signature = onceIn(query, "Signature", "signature-missing");
    const auto publicKey = onceIn(query, account_.words().publicKeyParameter, "parameter-missing");
    const auto expires = onceIn(query, "Expires", "parameter-missing");
    if (signature.empty()) throw Refusal("signature-missing", "the Signature of the URL is empty");
    requireTime(expires, now);
    requireAccount(publicKey);
    auto stages = account_.url({method, std::move(parts.bucket), std::move(parts.key), headers}, expires);
    requireSignature(stages.signature, signature);
    return stages;
}

ActionStages Verifier::action(const Parameters& parameters) const {
    std::optional<std::string> signature;
    for (const auto& [name, value] : parameters) {
        if (name != "Signature") continue;
        if (signature) throw Refusal("parameter-repeated", "Signature is there twice");
        const auto* text = std::get_if<std::string>(&value.is);
        signature = text ? *text : "";
    }
    if (!signature || signature->empty()) throw Refusal("signature-missing", "the request has no Signature");
    auto stages = signedAction(parameters, account_.keys().privateKey);
    requireAccount(stages.sorted.at("PublicKey").text);
    requireSignature(stages.signature, *signature);
    return stages;
}

ActionStages Verifier::query(const std::string& query) const {
    Parameters parameters;
    for (auto& [name, value] : decodedQuery(query)) parameters.push_back({name, {value}});
    return action(parameters);
}

ActionStages Verifier::json(const std::string& body) const try {
    const Value value = parsedJson(body);
    const auto* members = std::get_if<Parameters>(&value.is);
    if (!members) throw Refusal("body-malformed", "the body is JSON, but not an object");
    return action(*members);
} catch (const Refusal& refusal) {
    const bool isAboutValues = refusal.reason() == "number" || refusal.reason() == "parameter-null";
    if (!isAboutValues) throw;
    throw Refusal("body-malformed", refusal.what());
}

}  // namespace kit
