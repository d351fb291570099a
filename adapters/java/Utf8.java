import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** UTF-8 without replacement characters. */
final class Utf8 {
    private Utf8() {}

    /** Unlike {@code getBytes}, which puts a question mark for an unpaired surrogate. */
    static byte[] bytes(String text) {
        try {
            ByteBuffer bytes = StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(text));
            return Arrays.copyOf(bytes.array(), bytes.limit());
        } catch (CharacterCodingException halfPair) {
            String message = "a text holds an unpaired surrogate, which has no UTF-8 bytes";
            throw new Refusal("text", message);
        }
    }

    /** The text of UTF-8 bytes; null where they are none. */
    static String text(byte[] bytes) {
        try {
            return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
        } catch (CharacterCodingException noUtf8) {
            return null;
        }
    }

    static boolean canEncode(CharSequence text) {
        return StandardCharsets.UTF_8.newEncoder().canEncode(text);
    }
}
