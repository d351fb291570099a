import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** Stands for an SDK: signs a request by §5.2 and refuses what HTTP cannot carry. */
final class Sdk {
    private static final String TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";

    static String authorization(Question question) throws Exception {
        System.out.println("a line of the SDK");
        String method = question.text("method");
        String bucket = question.text("bucket");
        refuseIf(!method.matches(TOKEN), "method");
        refuseIf(bucket.isEmpty() || bucket.contains("/"), "bucket");
        Map<String, List<String>> values = values(question.pairs("headers"));
        StringBuilder text = new StringBuilder(method.toUpperCase(Locale.ROOT) + "\n");
        for (String name : List.of("content-md5", "content-type", "date")) {
            text.append(String.join(",", values.getOrDefault(name, List.of()))).append('\n');
        }
        String prefix = question.dialect().headerPrefix().toLowerCase(Locale.ROOT);
        values.forEach(
                (name, all) -> {
                    if (name.startsWith(prefix)) {
                        text.append(name + ":" + String.join(",", all) + "\n");
                    }
                });
        text.append("/" + bucket + "/" + question.text("key"));
        KeyPair keys = question.keys();
        String signature = signature(keys.privateKey(), text.toString());
        return question.dialect().scheme() + " " + keys.publicKey() + ":" + signature;
    }

    private static Map<String, List<String>> values(List<Pair> headers) {
        Map<String, List<String>> values = new TreeMap<>();
        for (Pair header : headers) {
            String name = trimmed(header.name());
            String value = header.value().replaceAll("[ \t]*(?:\r?\n[ \t]+)+", " ");
            refuseIf(!name.matches(TOKEN), "header-name");
            refuseIf(value.matches("(?s).*[\r\n\0].*"), "header-value");
            String key = name.toLowerCase(Locale.ROOT);
            values.computeIfAbsent(key, any -> new ArrayList<>()).add(trimmed(value));
        }
        return values;
    }

    private static String trimmed(String text) {
        return text.replaceAll("^[ \t]+|[ \t]+$", "");
    }

    private static String signature(String privateKey, String text) throws Exception {
        Mac mac = Mac.getInstance("HmacSHA1");
        // Java takes no key without bytes; one zero is the same to HMAC.
        byte[] key = privateKey.isEmpty() ? new byte[1] : Utf8.bytes(privateKey);
        mac.init(new SecretKeySpec(key, "HmacSHA1"));
        return Base64.getEncoder().encodeToString(mac.doFinal(Utf8.bytes(text)));
    }

    private static void refuseIf(boolean condition, String reason) {
        if (condition) {
            throw new Refusal(reason, "no");
        }
    }
}
