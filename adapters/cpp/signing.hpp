/// The signing of requests, as the specification has it: what operations.cpp calls, and what your own SDK takes the place of.
#pragma once

#include <cstdint>
#include <istream>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "request.hpp"

namespace kit {

// --- Parameters of the Action API (5.1) ---

/// The text that is signed, and whether JSON writes it in quotes.
struct Leaf {
    std::string text;
    bool isText;
};
/// Flattened, by name in the order of the bytes, without `Signature`.
using SortedParameters = std::map<std::string, Leaf>;

struct ActionStages {
    SortedParameters sorted;
    std::string stringToSign, signature;
};

SortedParameters sortedParameters(const Parameters& parameters);
/// 5.1 steps 3 to 6.
ActionStages signedParameters(SortedParameters sorted, const std::string& privateKey);
/// Those of a request that is sent, which has an Action and a PublicKey (4.2).
ActionStages signedAction(const Parameters& parameters, const std::string& privateKey);
std::string actionBody(const ActionStages& stages);
std::string actionQuery(const ActionStages& stages);
/// `/?…` of the GET; refuses a CreateBucket that lacks what section 4.1 requires.
std::string bucketTarget(const ActionStages& stages);

/// Without an exponent or superfluous zeros; refuses what is no number of JSON.
std::string plainDecimal(const std::string& digits);
/// Refuses what is not one JSON text (RFC 8259), or nests too deep.
Value parsedJson(std::string_view text);

// --- Files (5.2 to 5.4) ---

struct FileStages {
    std::string canonicalHeaders, canonicalResource, stringToSign, digest, signature;
};

/// Each form of signing gives the stages; what is sent is made of them.
class FileSigner {
public:
    FileSigner(KeyPair keys, Dialect words) : keys_(std::move(keys)), words_(std::move(words)) {}

    FileStages request(const FileRequest& request, const std::string& policy = "") const;
    FileStages form(FileRequest request, const Pairs& fields) const;
    FileStages url(const FileRequest& request, const std::string& expires) const;

    std::string authorization(const FileStages& stages) const;
    std::string presignedUrl(const FileRequest& request, const FileStages& stages, const std::string& expires,
                             const std::string& scheme, const std::string& fileHost) const;

    const KeyPair& keys() const { return keys_; }
    const Dialect& words() const { return words_; }

private:
    FileStages stages(const FileRequest& request, const std::string& positions, const std::string& policy) const;

    KeyPair keys_;
    Dialect words_;
};

std::string instantUploadTarget(const std::string& key, const std::string& etag, const std::string& size);
std::string callbackPolicy(const Pairs& members);

// --- Content hashes (2), read in pieces, whatever the size ---

struct FileEtag {
    std::uint32_t blockCount;
    std::string digest, etag;
};

FileEtag fileEtag(std::istream& content);
/// The bytes of the digest.
std::string partDigest(std::istream& content);

// --- Verification: the stages, or a refusal ---

class Verifier {
public:
    explicit Verifier(const FileSigner& account) : account_(account) {}

    FileStages authorization(const FileRequest& request) const;
    FileStages presignedUrl(const std::string& method, const std::string& url, const Pairs& headers, const std::string& fileHost,
                            const std::string& now) const;
    ActionStages query(const std::string& query) const;
    ActionStages json(const std::string& body) const;

private:
    void requireAccount(std::string_view publicKey) const;
    ActionStages action(const Parameters& parameters) const;

    const FileSigner& account_;
};

}  // namespace kit
