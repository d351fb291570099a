import java.util.Locale;

/** A request on a file, and its signature (§5.2). */
record FileRequest(String method, String bucket, String key, Headers headers, Positions positions) {
    /** The three lines that hold a value alone; in a URL the date is {@code Expires} (§5.4). */
    record Positions(String contentMd5, String contentType, String date) {
        static Positions of(Headers headers) {
            return new Positions(
                    orEmpty(headers.positional("content-md5")),
                    orEmpty(headers.positional("content-type")),
                    orEmpty(headers.positional("date")));
        }

        static Positions ofUrl(String expires) {
            return new Positions("", "", expires);
        }

        private static String orEmpty(String value) {
            return value == null ? "" : value;
        }
    }

    /** Every stage of a signature. */
    record Signed(
            String canonicalHeaders,
            String canonicalResource,
            String stringToSign,
            String digest,
            String signature) {}

    Signed signed(Dialect dialect, String privateKey) {
        return signed(dialect, privateKey, "");
    }

    /** Signs it; the policy follows the resource as it is sent. */
    Signed signed(Dialect dialect, String privateKey, String policy) {
        if (!Headers.isToken(method)) {
            throw new Refusal("method", Json.quoted(method) + " is no verb that HTTP can send");
        }
        if (bucket.isEmpty() || bucket.contains("/")) {
            throw new Refusal("bucket", "bucket " + Json.quoted(bucket) + " makes no host (§4.3)");
        }
        String canonicalHeaders = headers.canonical(dialect.headerPrefix());
        String canonicalResource = "/" + bucket + "/" + key;
        String stringToSign =
                method.toUpperCase(Locale.ROOT)
                        + ("\n" + positions.contentMd5())
                        + ("\n" + positions.contentType())
                        + ("\n" + positions.date())
                        + ("\n" + canonicalHeaders)
                        + (canonicalResource + policy);
        byte[] digest = Text.hmacSha1(privateKey, stringToSign);
        return new Signed(
                canonicalHeaders,
                canonicalResource,
                stringToSign,
                Text.hex(digest),
                Text.base64(digest));
    }

    /** The URL that carries the signature (§5.4). */
    String url(String scheme, String fileHost, String publicKeyPair, String signature) {
        return scheme + "://" + bucket + "." + fileHost + "/" + Text.pathEncoded(key)
                + ("?" + publicKeyPair)
                + ("&Expires=" + Text.urlEncoded(positions.date()))
                + ("&Signature=" + Text.urlEncoded(signature));
    }
}
