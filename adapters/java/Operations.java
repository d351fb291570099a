import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;

/**
 * What the adapter offers, a method for each operation: replace them by calls to your own SDK, and
 * leave out of {@link #NAMES} what it lacks.
 */
final class Operations {
    static final String NAME = "svc-conformance-java";
    static final String VERSION = "1.0.0";
    static final List<String> TRACES =
            List.of(
                    "blockCount",
                    "canonicalHeaders",
                    "canonicalResource",
                    "digest",
                    "encodedSignature",
                    "signature",
                    "sortedParameters",
                    "stringToSign");

    static final List<String> NAMES =
            List.of(
                    "url-encode",
                    "password",
                    "action-signature",
                    "action-json",
                    "action-query",
                    "bucket-request",
                    "authorization",
                    "form-authorization",
                    "policy",
                    "policy-authorization",
                    "instant-upload",
                    "presigned-url",
                    "etag",
                    "part-etag",
                    "verify-authorization",
                    "verify-presigned-url",
                    "verify-query",
                    "verify-json");

    private Operations() {}

    /** The answer to a question about one of {@link #NAMES}. */
    static Answer answer(String name, Question question) throws IOException {
        return switch (name) {
            case "url-encode" -> urlEncode(question);
            case "password" -> password(question);
            case "action-signature" -> actionSignature(question);
            case "action-json" -> actionJson(question);
            case "action-query" -> actionQuery(question);
            case "bucket-request" -> bucketRequest(question);
            case "authorization" -> authorization(question);
            case "form-authorization" -> formAuthorization(question);
            case "policy" -> policy(question);
            case "policy-authorization" -> policyAuthorization(question);
            case "instant-upload" -> instantUpload(question);
            case "presigned-url" -> presignedUrl(question);
            case "etag" -> etag(question);
            case "part-etag" -> partEtag(question);
            case "verify-authorization" -> verifyAuthorization(question);
            case "verify-presigned-url" -> verifyPresignedUrl(question);
            case "verify-query" -> verifyQuery(question);
            case "verify-json" -> verifyJson(question);
            default -> throw new IllegalArgumentException(name + " is only among NAMES");
        };
    }

    private static Answer urlEncode(Question question) {
        return new Answer().result("encoded", Text.urlEncoded(question.text("text")));
    }

    private static Answer password(Question question) {
        return new Answer().result("value", Text.base64(Utf8.bytes(question.text("text"))));
    }

    private static Answer actionSignature(Question question) {
        SignedAction signed = signedAction(question);
        return traced(signed).result("signature", signed.signature());
    }

    private static Answer actionJson(Question question) {
        SignedAction signed = signedAction(question).requiring("Action", "PublicKey");
        return traced(signed).result("body", signed.body());
    }

    private static Answer actionQuery(Question question) {
        SignedAction signed = signedAction(question).requiring("Action", "PublicKey");
        return traced(signed).result("query", signed.query());
    }

    private static Answer bucketRequest(Question question) {
        SignedAction signed = signedAction(question).requiring("Action", "PublicKey");
        if (signed.value("Action").equals("CreateBucket")) {
            signed.requiring("Type", "BucketName");
        }
        return traced(signed).result("target", "/?" + signed.query());
    }

    private static Answer authorization(Question question) {
        FileRequest.Signed signed = signed(question, request(question));
        return traced(signed).result("authorization", credentials(question, signed));
    }

    private static Answer formAuthorization(Question question) {
        Headers headers = headers(question);
        List<Pair> fields = question.pairs("fields");
        String contentMd5 = headers.positional("content-md5");
        String date = headers.positional("date");
        FileRequest.Positions positions =
                new FileRequest.Positions(
                        contentMd5 == null ? field(fields, "Content-MD5") : contentMd5,
                        field(fields, "Content-Type"),
                        date == null ? "" : date);
        FileRequest.Signed signed = signed(question, upload(question, headers, positions));
        return traced(signed).result("authorization", credentials(question, signed));
    }

    private static Answer policy(Question question) {
        List<Pair> members = new ArrayList<>();
        for (Pair member : question.pairs("members")) {
            members.add(new Pair(member.name(), Json.quoted(member.value())));
        }
        return new Answer().result("policy", Text.urlSafeBase64(Utf8.bytes(Json.object(members))));
    }

    private static Answer policyAuthorization(Question question) {
        String policy = question.text("policy");
        FileRequest.Signed signed =
                request(question).signed(question.dialect(), question.keys().privateKey(), policy);
        String authorization = credentials(question, signed) + ":" + policy;
        return traced(signed).result("authorization", authorization);
    }

    private static Answer instantUpload(Question question) {
        Headers headers = headers(question);
        FileRequest request = upload(question, headers, FileRequest.Positions.of(headers));
        FileRequest.Signed signed = signed(question, request);
        String target =
                "/uploadhit"
                        + ("?Hash=" + Text.urlEncoded(question.text("etag")))
                        + ("&FileName=" + Text.urlEncoded(request.key()))
                        + ("&FileSize=" + Text.urlEncoded(question.text("size")));
        return traced(signed)
                .result("target", target)
                .result("authorization", credentials(question, signed));
    }

    private static Answer presignedUrl(Question question) {
        String expires = question.text("expires");
        FileRequest.Positions positions = FileRequest.Positions.ofUrl(expires);
        FileRequest request = request(question, headers(question), positions);
        FileRequest.Signed signed = signed(question, request);
        String publicKeyPair =
                Text.urlEncoded(question.dialect().publicKeyParameter())
                        + ("=" + Text.urlEncoded(question.keys().publicKey()));
        String url =
                request.url(
                        question.text("scheme"),
                        question.text("fileHost"),
                        publicKeyPair,
                        signed.signature());
        return traced(signed)
                .trace("encodedSignature", Text.urlEncoded(signed.signature()))
                .result("url", url);
    }

    private static Answer etag(Question question) throws IOException {
        try (InputStream content = question.content()) {
            Etag etag = Etag.of(content);
            return new Answer()
                    .trace("blockCount", Integer.toString(etag.blockCount()))
                    .trace("digest", Text.hex(etag.digest()))
                    .result("etag", etag.text());
        }
    }

    private static Answer partEtag(Question question) throws IOException {
        try (InputStream content = question.content()) {
            byte[] digest = Etag.partDigest(content);
            return new Answer()
                    .trace("digest", Text.hex(digest))
                    .result("etag", Text.urlSafeBase64(digest));
        }
    }

    private static Answer verifyAuthorization(Question question) {
        FileRequest.Signed signed =
                verification(question)
                        .authorization(
                                question.text("method"),
                                question.text("bucket"),
                                question.text("key"),
                                headers(question));
        return traced(signed).result("publicKey", question.keys().publicKey());
    }

    private static Answer verifyPresignedUrl(Question question) {
        FileRequest.Signed signed =
                verification(question)
                        .presignedUrl(
                                question.text("method"),
                                question.text("url"),
                                headers(question),
                                question.text("fileHost"),
                                question.text("now"));
        return traced(signed).result("publicKey", question.keys().publicKey());
    }

    private static Answer verifyQuery(Question question) {
        SignedAction signed = verification(question).query(question.text("query"));
        return traced(signed).result("publicKey", question.keys().publicKey());
    }

    private static Answer verifyJson(Question question) {
        SignedAction signed = verification(question).json(question.text("body"));
        return traced(signed).result("publicKey", question.keys().publicKey());
    }

    private static SignedAction signedAction(Question question) {
        return SignedAction.of(question.parameters(), question.keys().privateKey());
    }

    private static Headers headers(Question question) {
        return new Headers(question.pairs("headers"));
    }

    /** Names of form fields have a case, unlike those of headers. */
    private static String field(List<Pair> fields, String name) {
        String value = Headers.only(name, Headers.values(fields, name));
        return value == null ? "" : Headers.fieldValue(name, value);
    }

    private static FileRequest request(Question question) {
        Headers headers = headers(question);
        return request(question, headers, FileRequest.Positions.of(headers));
    }

    private static FileRequest request(
            Question question, Headers headers, FileRequest.Positions positions) {
        String method = question.text("method");
        String bucket = question.text("bucket");
        return new FileRequest(method, bucket, question.text("key"), headers, positions);
    }

    private static FileRequest upload(
            Question question, Headers headers, FileRequest.Positions positions) {
        String bucket = question.text("bucket");
        return new FileRequest("POST", bucket, question.text("key"), headers, positions);
    }

    private static FileRequest.Signed signed(Question question, FileRequest request) {
        return request.signed(question.dialect(), question.keys().privateKey());
    }

    private static String credentials(Question question, FileRequest.Signed signed) {
        String scheme = question.dialect().scheme();
        return scheme + " " + question.keys().publicKey() + ":" + signed.signature();
    }

    private static Verification verification(Question question) {
        return new Verification(question.dialect(), question.keys());
    }

    private static Answer traced(SignedAction signed) {
        return new Answer()
                .trace("sortedParameters", signed.sorted())
                .trace("stringToSign", signed.stringToSign())
                .trace("signature", signed.signature());
    }

    private static Answer traced(FileRequest.Signed signed) {
        return new Answer()
                .trace("canonicalHeaders", signed.canonicalHeaders())
                .trace("canonicalResource", signed.canonicalResource())
                .trace("stringToSign", signed.stringToSign())
                .trace("digest", signed.digest())
                .trace("signature", signed.signature());
    }
}
