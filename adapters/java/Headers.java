import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;

/** The headers of a request: names in lower case, values as they are signed (§5.2). */
final class Headers {
    private static final Pattern TOKEN = Pattern.compile("[A-Za-z0-9!#$%&'*+.^_`|~-]++");
    private static final Pattern LINE_END = Pattern.compile("\r?\n");
    private static final Pattern OUTER_BLANKS = Pattern.compile("\\A[ \t]++|(?<![ \t])[ \t]++\\z");

    private final List<Pair> headers = new ArrayList<>();

    /** Refuses headers that HTTP cannot send, and removes whitespace around the colon. */
    Headers(List<Pair> raw) {
        for (Pair header : raw) {
            int end = header.name().length();
            while (end > 0 && isBlank(header.name().charAt(end - 1))) {
                end--;
            }
            String name = header.name().substring(0, end);
            if (!isToken(name)) {
                String what = "header name " + Json.quoted(name);
                throw new Refusal("header-name", what + " is not a token (RFC 9110 §5.6.2)");
            }
            // A token is ASCII; the lower case of another letter, the Kelvin sign, would be a "k".
            headers.add(new Pair(name.toLowerCase(Locale.ROOT), fieldValue(name, header.value())));
        }
    }

    static boolean isToken(String text) {
        return TOKEN.matcher(text).matches();
    }

    private static boolean isBlank(char next) {
        return next == ' ' || next == '\t';
    }

    /** A value without whitespace around it, and with a single space for each fold (steps 4, 5). */
    static String fieldValue(String name, String value) {
        List<String> pieces = new ArrayList<>();
        boolean isFirst = true;
        for (String line : LINE_END.split(value, -1)) {
            boolean goesOn = isFirst || !line.isEmpty() && isBlank(line.charAt(0));
            if (!goesOn || line.indexOf('\r') >= 0 || line.indexOf('\0') >= 0) {
                String what = "the value of " + name;
                throw new Refusal("header-value", what + " has a NUL or a bare line break");
            }
            String piece = OUTER_BLANKS.matcher(line).replaceAll("");
            if (!piece.isEmpty()) {
                pieces.add(piece);
            }
            isFirst = false;
        }
        return String.join(" ", pieces);
    }

    /** All values of a header, by its name in lower case. */
    List<String> values(String name) {
        return values(headers, name);
    }

    static List<String> values(List<Pair> pairs, String name) {
        List<String> values = new ArrayList<>();
        for (Pair pair : pairs) {
            if (pair.name().equals(name)) {
                values.add(pair.value());
            }
        }
        return values;
    }

    /** The value of a positional header; null if there is none. */
    String positional(String name) {
        return only(name, values(name));
    }

    /** The one value of a header or of a form field; null if there is none. */
    static String only(String name, List<String> values) {
        if (values.size() > 1) {
            String message = name + " appears " + values.size() + " times; §5.2 signs one value";
            throw new Refusal("header-repeated", message);
        }
        return values.isEmpty() ? null : values.get(0);
    }

    /** {@code CanonicalizedSvcHeaders} (§5.2). */
    String canonical(String prefix) {
        String lowerCasePrefix = prefix.toLowerCase(Locale.ROOT);
        // Step 2: names are tokens, so this is the order of their bytes.
        Map<String, List<String>> extra = new TreeMap<>();
        for (Pair header : headers) {
            if (header.name().startsWith(lowerCasePrefix)) {
                extra.computeIfAbsent(header.name(), name -> new ArrayList<>()).add(header.value());
            }
        }
        StringBuilder text = new StringBuilder();
        for (Map.Entry<String, List<String>> entry : extra.entrySet()) {
            text.append(entry.getKey()).append(':');
            text.append(String.join(",", entry.getValue())).append('\n'); // steps 3, 6
        }
        return text.toString();
    }
}
