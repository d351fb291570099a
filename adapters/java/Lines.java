import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;

/** The lines of a message to be written. */
final class Lines {
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

    Lines put(String key, String value) {
        String escaped = value.replace("\\", "\\\\").replace("\t", "\\t").replace("\n", "\\n");
        try {
            bytes.writeBytes(Utf8.bytes(key + "\t" + escaped + "\n"));
        } catch (Refusal halfPair) {
            // What is answered is no reason to refuse what was asked.
            throw new IllegalArgumentException(halfPair.getMessage());
        }
        return this;
    }

    Lines putTexts(String key, List<String> texts) {
        put(key, Integer.toString(texts.size()));
        for (int position = 0; position < texts.size(); position++) {
            put(key + "." + position, texts.get(position));
        }
        return this;
    }

    Lines putPairs(String key, List<Pair> pairs) {
        put(key, Integer.toString(pairs.size()));
        for (int position = 0; position < pairs.size(); position++) {
            put(key + "." + position + ".0", pairs.get(position).name());
            put(key + "." + position + ".1", pairs.get(position).value());
        }
        return this;
    }

    Lines putAll(Lines others) {
        bytes.writeBytes(others.bytes.toByteArray());
        return this;
    }

    /** Writes the message and the blank line that ends it. */
    void writeTo(OutputStream output) throws IOException {
        bytes.write('\n');
        bytes.writeTo(output);
        output.flush();
    }
}
