import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The server's side: refuses a request, or is done where it is the account's own (§5, §7). */
record Verification(Dialect dialect, KeyPair keys) {
    /** Public key, signature and, where there is one, policy; the scheme stands before them. */
    private static final Pattern CREDENTIALS =
            Pattern.compile("([^: \t][^:]*):([^: \t]+)(?::([^: \t]+))?", Pattern.DOTALL);

    private static final Pattern URL =
            Pattern.compile(
                    "https?://([^/?#]*)(?:/([^?#]*))?(?:\\?([^#]*))?",
                    Pattern.CASE_INSENSITIVE | Pattern.DOTALL);

    /** Reasons not to sign that say of a body that it is none. */
    private static final List<String> WITHOUT_TEXT = List.of("number", "parameter-null");

    private static final Pattern SECONDS = Pattern.compile("[0-9]{1,15}");

    FileRequest.Signed authorization(String method, String bucket, String key, Headers headers) {
        List<String> values = headers.values("authorization");
        if (values.isEmpty()) {
            throw new Refusal("authorization-missing", "the request has no Authorization header");
        }
        String scheme = dialect.scheme() + " ";
        String value = values.get(0);
        boolean isOurs = value.startsWith(scheme);
        Matcher credentials = CREDENTIALS.matcher(isOurs ? value.substring(scheme.length()) : "");
        if (values.size() > 1 || !credentials.matches()) {
            String message = "Authorization is not \"" + scheme + "key:signature\", once (§5.2)";
            throw new Refusal("authorization-malformed", message);
        }
        String policy = credentials.group(3) == null ? "" : credentials.group(3);
        if (!policy.isEmpty() && !(isUpload(method) && isPolicy(policy))) {
            String message = "a third part is a policy in Base64, and of an upload";
            throw new Refusal("authorization-malformed", message);
        }
        requireAccount(credentials.group(1));
        FileRequest.Positions positions = FileRequest.Positions.of(headers);
        FileRequest.Signed signed =
                new FileRequest(method, bucket, key, headers, positions)
                        .signed(dialect, keys.privateKey(), policy);
        requireSignature(signed.signature(), credentials.group(2));
        return signed;
    }

    private static boolean isUpload(String method) {
        return List.of("PUT", "POST").contains(method.toUpperCase(Locale.ROOT));
    }

    /** Base64 of a JSON object. Without this check, the end of another key passes as a policy. */
    private static boolean isPolicy(String text) {
        try {
            byte[] bytes = Base64.getDecoder().decode(text.replace('-', '+').replace('_', '/'));
            String json = UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
            return Json.parsed(json) instanceof Value.Members;
        } catch (IllegalArgumentException // not Base64
                | CharacterCodingException
                | IllegalStateException // JSON that is nested too deeply
                | Json.Malformed malformed) {
            return false;
        }
    }

    FileRequest.Signed presignedUrl(
            String method, String url, Headers headers, String fileHost, String now) {
        Matcher parts = URL.matcher(url);
        String bucket = parts.matches() ? bucketOf(parts.group(1), fileHost) : null;
        String key = bucket == null ? null : Text.percentDecoded(orEmpty(parts.group(2)));
        if (key == null) {
            String message = "the URL does not name a file on a bucket of the file host (§4.3)";
            throw new Refusal("url-malformed", message);
        }
        List<Pair> parameters = parameters(orEmpty(parts.group(3)));
        String signature = signatureOf(parameters);
        String publicKey = required(parameters, dialect.publicKeyParameter());
        String expires = required(parameters, "Expires");
        // The expiry comes before the signature.
        if (seconds(now) > seconds(expires)) {
            throw new Refusal("expired", "the URL expired at " + expires + ", and it is " + now);
        }
        requireAccount(publicKey);
        FileRequest.Positions positions = FileRequest.Positions.ofUrl(expires);
        FileRequest.Signed signed =
                new FileRequest(method, bucket, key, headers, positions)
                        .signed(dialect, keys.privateKey());
        requireSignature(signed.signature(), signature);
        return signed;
    }

    /** What comes before the file host, in whatever case that is; null where it is another host. */
    private static String bucketOf(String host, String fileHost) {
        int end = host.length() - fileHost.length() - 1;
        // Unlike equalsIgnoreCase, for which the Kelvin sign is a "k", it knows ASCII alone.
        Pattern ours = Pattern.compile(Pattern.quote("." + fileHost), Pattern.CASE_INSENSITIVE);
        boolean isOurs = end > 0 && ours.matcher(host.substring(end)).matches();
        return isOurs ? host.substring(0, end) : null;
    }

    private static long seconds(String text) {
        if (!SECONDS.matcher(text).matches()) {
            String message = Json.quoted(text) + " is not a number of seconds (§5.4)";
            throw new Refusal("expires-malformed", message);
        }
        return Long.parseLong(text);
    }

    SignedAction query(String query) {
        List<Pair> parameters = parameters(query);
        String signature = signatureOf(parameters);
        List<Value.Member> members = new ArrayList<>();
        for (Pair parameter : parameters) {
            members.add(new Value.Member(parameter.name(), new Value.Text(parameter.value())));
        }
        return action(members, signature);
    }

    SignedAction json(String body) {
        Value value;
        try {
            value = Json.parsed(body);
        } catch (Json.Malformed malformed) {
            throw new Refusal("body-malformed", "the body is not JSON (§4.2)");
        }
        if (!(value instanceof Value.Members object)) {
            throw new Refusal("body-malformed", "the body is not one object (§4.2)");
        }
        List<Pair> signatures = new ArrayList<>();
        for (Value.Member member : object.members()) {
            if (member.name().equals(SignedAction.SIGNATURE)) {
                String text = member.value() instanceof Value.Text sent ? sent.text() : "";
                signatures.add(new Pair(member.name(), text));
            }
        }
        String signature = signatureOf(signatures);
        try {
            return action(object.members(), signature);
        } catch (Refusal refusal) {
            boolean hasNoText = WITHOUT_TEXT.contains(refusal.reason());
            throw hasNoText ? new Refusal("body-malformed", refusal.getMessage()) : refusal;
        }
    }

    private SignedAction action(List<Value.Member> members, String signature) {
        SignedAction signed =
                SignedAction.of(members, keys.privateKey()).requiring("Action", "PublicKey");
        requireAccount(signed.value("PublicKey"));
        requireSignature(signed.signature(), signature);
        return signed;
    }

    /** The decoded pairs of a query; a name alone has an empty value. */
    private static List<Pair> parameters(String query) {
        List<Pair> parameters = new ArrayList<>();
        for (String piece : query.split("&")) {
            if (piece.isEmpty()) {
                continue;
            }
            int equals = piece.indexOf('=');
            int nameEnd = equals < 0 ? piece.length() : equals;
            String name = Text.percentDecoded(piece.substring(0, nameEnd));
            String value = equals < 0 ? "" : Text.percentDecoded(piece.substring(equals + 1));
            if (name == null || value == null) {
                String message = "the query has an escape that is none, or no UTF-8";
                throw new Refusal("query-malformed", message);
            }
            parameters.add(new Pair(name, value));
        }
        return parameters;
    }

    private static String signatureOf(List<Pair> parameters) {
        String signature = single(parameters, SignedAction.SIGNATURE);
        if (signature == null || signature.isEmpty()) {
            throw new Refusal("signature-missing", "the request has no Signature");
        }
        return signature;
    }

    private static String required(List<Pair> parameters, String name) {
        String value = single(parameters, name);
        if (value == null) {
            throw new Refusal("parameter-missing", "the URL has no " + name + " (§5.4)");
        }
        return value;
    }

    private static String single(List<Pair> parameters, String name) {
        List<String> values = Headers.values(parameters, name);
        if (values.size() > 1) {
            String message = name + " appears twice, and one value is signed";
            throw new Refusal("parameter-repeated", message);
        }
        return values.isEmpty() ? null : values.get(0);
    }

    private void requireAccount(String publicKey) {
        if (!publicKey.equals(keys.publicKey())) {
            throw new Refusal("public-key-unknown", "the public key is that of no account");
        }
    }

    private static void requireSignature(String computed, String sent) {
        if (!Text.isSameSignature(computed, sent)) {
            throw new Refusal("signature-mismatch", "the signature does not fit the request (§5)");
        }
    }

    private static String orEmpty(String text) {
        return text == null ? "" : text;
    }
}
