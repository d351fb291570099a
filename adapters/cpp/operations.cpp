#include "operations.hpp"

#include "signing.hpp"
#include "text.hpp"

namespace kit {

namespace {

FileSigner signer(const Question& question) { return {question.keys, question.words}; }

Parameters askedParameters(Question& question) { return question.asked.parameters("input.parameters"); }

/// A request without a method is a POST that the operation knows of.
FileRequest askedPost(Message& asked) {
    return {"POST", asked.text("input.bucket"), asked.text("input.key"), asked.pairs("input.headers")};
}

FileRequest askedRequest(Message& asked) {
    auto request = askedPost(asked);
    request.method = asked.text("input.method");
    return request;
}

void trace(Reply& reply, const FileStages& stages) {
    reply.trace("canonicalHeaders", stages.canonicalHeaders)
        .trace("canonicalResource", stages.canonicalResource)
        .trace("stringToSign", stages.stringToSign)
        .trace("digest", stages.digest)
        .trace("signature", stages.signature);
}

void trace(Reply& reply, const ActionStages& stages) {
    Pairs sorted;
    for (const auto& [name, leaf] : stages.sorted) sorted.emplace_back(name, leaf.text);
    reply.list("trace.sortedParameters", sorted).trace("stringToSign", stages.stringToSign);
}

/// What is sent shows its signature as a stage of its own.
void traceSent(Reply& reply, const ActionStages& stages) {
    trace(reply, stages);
    reply.trace("signature", stages.signature);
}

void urlEncode(Question& question, Reply& reply) { reply.result("encoded", urlEncoded(question.asked.text("input.text"))); }

void password(Question& question, Reply& reply) { reply.result("value", base64(question.asked.text("input.text"))); }

void actionSignature(Question& question, Reply& reply) {
    const auto stages = signedParameters(sortedParameters(askedParameters(question)), question.keys.privateKey);
    reply.result("signature", stages.signature);
    trace(reply, stages);
}

void actionJson(Question& question, Reply& reply) {
    const auto stages = signedAction(askedParameters(question), question.keys.privateKey);
    reply.result("body", actionBody(stages));
    traceSent(reply, stages);
}

void actionQuery(Question& question, Reply& reply) {
    const auto stages = signedAction(askedParameters(question), question.keys.privateKey);
    reply.result("query", actionQuery(stages));
    traceSent(reply, stages);
}

void bucketRequest(Question& question, Reply& reply) {
    const auto stages = signedAction(askedParameters(question), question.keys.privateKey);
    reply.result("target", bucketTarget(stages));
    traceSent(reply, stages);
}

void authorization(Question& question, Reply& reply) {
    const auto by = signer(question);
    const auto stages = by.request(askedRequest(question.asked));
    reply.result("authorization", by.authorization(stages));
    trace(reply, stages);
}

void formAuthorization(Question& question, Reply& reply) {
    const auto by = signer(question);
    auto request = askedPost(question.asked);
    const auto stages = by.form(std::move(request), question.asked.pairs("input.fields"));
    reply.result("authorization", by.authorization(stages));
    trace(reply, stages);
}

void policy(Question& question, Reply& reply) { reply.result("policy", callbackPolicy(question.asked.pairs("input.members"))); }

void policyAuthorization(Question& question, Reply& reply) {
    const auto by = signer(question);
    const auto request = askedRequest(question.asked);
    const auto policy = question.asked.text("input.policy");
    const auto stages = by.request(request, policy);
    reply.result("authorization", by.authorization(stages) + ':' + policy);
    trace(reply, stages);
}

void instantUpload(Question& question, Reply& reply) {
    const auto by = signer(question);
    const auto request = askedPost(question.asked);
    const auto etag = question.asked.text("input.etag"), size = question.asked.text("input.size");
    const auto stages = by.request(request);
    reply.result("target", instantUploadTarget(request.key, etag, size))
        .result("authorization", by.authorization(stages));
    trace(reply, stages);
}

void presignedUrl(Question& question, Reply& reply) {
    auto& asked = question.asked;
    const auto by = signer(question);
    const auto request = askedRequest(asked);
    const auto expires = asked.text("input.expires"), scheme = asked.text("input.scheme"), fileHost = asked.text("input.fileHost");
    const auto stages = by.url(request, expires);
    reply.result("url", by.presignedUrl(request, stages, expires, scheme, fileHost))
        .trace("encodedSignature", urlEncoded(stages.signature));
    trace(reply, stages);
}

void etag(Question& question, Reply& reply) {
    const auto [blockCount, digest, etag] = fileEtag(*question.asked.content("input.content"));
    reply.result("etag", etag).trace("blockCount", std::to_string(blockCount)).trace("digest", digest);
}

void partEtag(Question& question, Reply& reply) {
    const auto digest = partDigest(*question.asked.content("input.content"));
    reply.result("etag", base64Url(digest)).trace("digest", hexadecimal(digest));
}

void verifyAuthorization(Question& question, Reply& reply) {
    const auto by = signer(question);
    const auto stages = Verifier(by).authorization(askedRequest(question.asked));
    reply.result("publicKey", question.keys.publicKey);
    trace(reply, stages);
}

void verifyPresignedUrl(Question& question, Reply& reply) {
    auto& asked = question.asked;
    const auto by = signer(question);
    const auto method = asked.text("input.method"), url = asked.text("input.url");
    const auto headers = asked.pairs("input.headers");
    const auto fileHost = asked.text("input.fileHost"), now = asked.text("input.now");
    const auto stages = Verifier(by).presignedUrl(method, url, headers, fileHost, now);
    reply.result("publicKey", question.keys.publicKey);
    trace(reply, stages);
}

void verifyQuery(Question& question, Reply& reply) {
    const auto by = signer(question);
    const auto stages = Verifier(by).query(question.asked.text("input.query"));
    reply.result("publicKey", question.keys.publicKey);
    traceSent(reply, stages);
}

void verifyJson(Question& question, Reply& reply) {
    const auto by = signer(question);
    const auto stages = Verifier(by).json(question.asked.text("input.body"));
    reply.result("publicKey", question.keys.publicKey);
    traceSent(reply, stages);
}

}  // namespace

std::string implementationName() { return "cpp"; }

std::string implementationVersion() { return "1"; }

const std::vector<Operation>& operations() {
    static const std::vector<Operation> all = {
        {"url-encode", urlEncode},
        {"password", password},
        {"action-signature", actionSignature},
        {"action-json", actionJson},
        {"action-query", actionQuery},
        {"bucket-request", bucketRequest},
        {"authorization", authorization},
        {"form-authorization", formAuthorization},
        {"policy", policy},
        {"policy-authorization", policyAuthorization},
        {"instant-upload", instantUpload},
        {"presigned-url", presignedUrl},
        {"etag", etag},
        {"part-etag", partEtag},
        {"verify-authorization", verifyAuthorization},
        {"verify-presigned-url", verifyPresignedUrl},
        {"verify-query", verifyQuery},
        {"verify-json", verifyJson},
    };
    return all;
}

const std::vector<std::string>& traces() {
    static const std::vector<std::string> all = {"canonicalHeaders", "canonicalResource", "stringToSign",     "digest",
                                                 "signature",        "encodedSignature",  "sortedParameters", "blockCount"};
    return all;
}

}  // namespace kit
