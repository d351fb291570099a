import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/** JSON as §4.2 has it: read strictly, and with numbers as they are written. */
final class Json {
    /** The levels that are followed; the stack has an end. */
    private static final int MOST_LEVELS = 500;

    private static final String BLANKS = " \t\n\r";
    private static final String ESCAPED = "\"\\/bfnrt";
    private static final String UNESCAPED = "\"\\/\b\f\n\r\t";

    private final String json;
    private int at;

    private Json(String json) {
        this.json = json;
    }

    /** A text that is no JSON. */
    static final class Malformed extends Exception {
        private static final long serialVersionUID = 1;
    }

    /** The value that a text holds, with nothing behind it. */
    static Value parsed(String json) throws Malformed {
        Json parser = new Json(json);
        Value value = parser.value(0);
        parser.skipBlanks();
        if (parser.at < json.length()) {
            throw new Malformed();
        }
        return value;
    }

    private Value value(int level) throws Malformed {
        if (level > MOST_LEVELS) {
            throw new IllegalStateException("the JSON has more than " + MOST_LEVELS + " levels");
        }
        skipBlanks();
        if (skip('{')) {
            return members(level);
        }
        if (skip('[')) {
            return items(level);
        }
        if (at < json.length() && json.charAt(at) == '"') {
            return new Value.Text(text());
        }
        String word = word();
        switch (word) {
            case "true":
            case "false":
                return new Value.Truth(word.equals("true"));
            case "null":
                return new Value.Null();
            default:
                if (!Decimal.isNumber(word)) {
                    throw new Malformed();
                }
                return new Value.Digits(word);
        }
    }

    private Value members(int level) throws Malformed {
        List<Value.Member> members = new ArrayList<>();
        skipBlanks();
        if (skip('}')) {
            return new Value.Members(members);
        }
        do {
            skipBlanks();
            String name = text();
            expect(':');
            members.add(new Value.Member(name, value(level + 1)));
            skipBlanks();
        } while (skip(','));
        expect('}');
        return new Value.Members(members);
    }

    private Value items(int level) throws Malformed {
        List<Value> items = new ArrayList<>();
        skipBlanks();
        if (skip(']')) {
            return new Value.Items(items);
        }
        do {
            items.add(value(level + 1));
            skipBlanks();
        } while (skip(','));
        expect(']');
        return new Value.Items(items);
    }

    private String text() throws Malformed {
        expect('"');
        StringBuilder text = new StringBuilder();
        for (char next = next(); next != '"'; next = next()) {
            if (next < ' ') {
                throw new Malformed();
            }
            text.append(next == '\\' ? unescaped(next()) : next);
        }
        if (!Utf8.canEncode(text)) {
            throw new Malformed();
        }
        return text.toString();
    }

    private char unescaped(char escape) throws Malformed {
        if (escape == 'u') {
            return unit();
        }
        int known = ESCAPED.indexOf(escape);
        if (known < 0) {
            throw new Malformed();
        }
        return UNESCAPED.charAt(known);
    }

    private char unit() throws Malformed {
        int unit = 0;
        for (int digit = 0; digit < 4; digit++) {
            char next = next();
            if (!HexFormat.isHexDigit(next)) {
                throw new Malformed();
            }
            unit = unit << 4 | HexFormat.fromHexDigit(next);
        }
        return (char) unit;
    }

    /** A number, or one of the three words. */
    private String word() {
        int start = at;
        while (at < json.length() && isInWord(json.charAt(at))) {
            at++;
        }
        return json.substring(start, at);
    }

    private static boolean isInWord(char next) {
        return Text.isAsciiAlphanumeric(next) || next == '+' || next == '-' || next == '.';
    }

    private char next() throws Malformed {
        if (at == json.length()) {
            throw new Malformed();
        }
        return json.charAt(at++);
    }

    private boolean skip(char wanted) {
        boolean isThere = at < json.length() && json.charAt(at) == wanted;
        if (isThere) {
            at++;
        }
        return isThere;
    }

    private void expect(char wanted) throws Malformed {
        skipBlanks();
        if (!skip(wanted)) {
            throw new Malformed();
        }
    }

    private void skipBlanks() {
        while (at < json.length() && BLANKS.indexOf(json.charAt(at)) >= 0) {
            at++;
        }
    }

    /** A text in the notation of JSON, with only those escapes that it asks for. */
    static String quoted(String text) {
        StringBuilder json = new StringBuilder(text.length() + 2).append('"');
        for (int at = 0; at < text.length(); at++) {
            char next = text.charAt(at);
            int known = next == '/' ? -1 : UNESCAPED.indexOf(next);
            if (known >= 0) {
                json.append('\\').append(ESCAPED.charAt(known));
            } else if (next < ' ') {
                json.append(String.format("\\u%04x", (int) next));
            } else {
                json.append(next);
            }
        }
        return json.append('"').toString();
    }

    /** An object of members that are JSON already, without white space. */
    static String object(List<Pair> members) {
        StringBuilder json = new StringBuilder("{");
        for (Pair member : members) {
            json.append(json.length() > 1 ? "," : "").append(quoted(member.name()));
            json.append(':').append(member.value());
        }
        return json.append('}').toString();
    }
}
