/// Requests for files: 4.3, 5.2, 5.4, and the callback policy.
#include "digest.hpp"
#include "headers.hpp"
#include "signing.hpp"
#include "text.hpp"

namespace kit {

namespace {

std::string lines(const std::string& contentMd5, const std::string& contentType, const std::string& date) {
    return contentMd5 + '\n' + contentType + '\n' + date + '\n';
}

std::string valueOf(const SortedHeaders& headers, const std::string& name) { return singleValue(headers, name).value_or(""); }

}  // namespace

FileStages FileSigner::stages(const FileRequest& request, const std::string& positions, const std::string& policy) const {
    if (!isToken(request.method)) throw Refusal("method", "the verb is not a token; HTTP cannot send it");
    if (request.bucket.empty() || request.bucket.find('/') != std::string::npos)
        throw Refusal("bucket", "the bucket's name is empty or has a slash; no host has it (section 4.3)");
    FileStages stages;
    stages.canonicalHeaders = canonicalHeaders(sendableHeaders(request.headers), words_.headerPrefix);
    stages.canonicalResource = '/' + request.bucket + '/' + request.key;
    stages.stringToSign = upperCase(request.method) + '\n' + positions + stages.canonicalHeaders + stages.canonicalResource + policy;
    const std::string digest = hmacSha1(keys_.privateKey, stages.stringToSign);
    stages.digest = hexadecimal(digest);
    stages.signature = base64(digest);
    return stages;
}

FileStages FileSigner::request(const FileRequest& request, const std::string& policy) const {
    const auto headers = sendableHeaders(request.headers);
    const auto positions = lines(valueOf(headers, "content-md5"), valueOf(headers, "content-type"), valueOf(headers, "date"));
    return stages(request, positions, policy);
}

FileStages FileSigner::form(FileRequest request, const Pairs& pairs) const {
    request.method = "POST";
    const auto headers = sendableHeaders(request.headers);
    // The names of fields have a case.
    const SortedHeaders fields(pairs.begin(), pairs.end());
    const auto contentMd5 = singleValue(headers, "content-md5");
    const auto positions = lines(contentMd5 ? *contentMd5 : sendableValue(valueOf(fields, "Content-MD5")),
                                 sendableValue(valueOf(fields, "Content-Type")), valueOf(headers, "date"));
    return stages(request, positions, "");
}

FileStages FileSigner::url(const FileRequest& request, const std::string& expires) const {
    return stages(request, lines("", "", expires), "");
}

std::string FileSigner::authorization(const FileStages& stages) const {
    return words_.scheme + ' ' + keys_.publicKey + ':' + stages.signature;
}

std::string FileSigner::presignedUrl(const FileRequest& request, const FileStages& stages, const std::string& expires,
                                     const std::string& scheme, const std::string& fileHost) const {
    return scheme + "://" + request.bucket + '.' + fileHost + '/' + pathEncoded(request.key) + '?' + words_.publicKeyParameter + '=' +
           urlEncoded(keys_.publicKey) + "&Expires=" + urlEncoded(expires) + "&Signature=" + urlEncoded(stages.signature);
}

std::string instantUploadTarget(const std::string& key, const std::string& etag, const std::string& size) {
    return "/uploadhit?Hash=" + urlEncoded(etag) + "&FileName=" + urlEncoded(key) + "&FileSize=" + urlEncoded(size);
}

std::string callbackPolicy(const Pairs& members) {
    std::string json;
    for (const auto& [name, value] : members) json += (json.empty() ? "" : ",") + jsonText(name) + ':' + jsonText(value);
    return base64Url('{' + json + '}');
}

}  // namespace kit
