import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.Base64;
import java.util.Comparator;
import java.util.HexFormat;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** Texts as bytes: their order, URL encoding (§5.3), digests. */
final class Text {
    /**
     * The order of the UTF-8 bytes (§5.1 step 2). {@link String#compareTo} has that of UTF-16,
     * which puts characters beyond U+FFFF before U+E000.
     */
    static final Comparator<String> BYTE_ORDER =
            new Comparator<>() {
                @Override
                public int compare(String one, String other) {
                    return Arrays.compareUnsigned(Utf8.bytes(one), Utf8.bytes(other));
                }
            };

    private static final HexFormat UPPER_CASE = HexFormat.of().withUpperCase();
    private static final HexFormat LOWER_CASE = HexFormat.of();

    private Text() {}

    /** Every byte but the unreserved ones as {@code %XY} (§5.3). */
    static String urlEncoded(String text) {
        return percentEncoded(text, "-_.~");
    }

    /** A key in the path of a URL, where its slashes stay. */
    static String pathEncoded(String key) {
        return percentEncoded(key, "-_.~/");
    }

    private static String percentEncoded(String text, String bare) {
        StringBuilder encoded = new StringBuilder(text.length());
        for (byte next : Utf8.bytes(text)) {
            if (isAsciiAlphanumeric((char) next) || bare.indexOf(next) >= 0) {
                encoded.append((char) next);
            } else {
                UPPER_CASE.toHexDigits(encoded.append('%'), next);
            }
        }
        return encoded.toString();
    }

    /** The ASCII ones alone; {@link Character#isLetterOrDigit} knows the letters of all scripts. */
    static boolean isAsciiAlphanumeric(char next) {
        return next >= 'a' && next <= 'z' || next >= 'A' && next <= 'Z' || isAsciiDigit(next);
    }

    static boolean isAsciiDigit(char next) {
        return next >= '0' && next <= '9';
    }

    /**
     * The decoded text, with escapes in either case; null if an escape or the UTF-8 is invalid.
     * §5.3 never writes a space as "+", so a plus is a plus.
     */
    static String percentDecoded(String text) {
        byte[] bytes = Utf8.bytes(text);
        int length = 0;
        for (int at = 0; at < bytes.length; at++) {
            byte next = bytes[at];
            if (next == '%') {
                int high = hexDigit(bytes, ++at);
                int low = hexDigit(bytes, ++at);
                if (high < 0 || low < 0) {
                    return null;
                }
                next = (byte) (high << 4 | low);
            }
            bytes[length++] = next;
        }
        return Utf8.text(Arrays.copyOf(bytes, length));
    }

    /** The value of a digit; -1 where there is none. */
    private static int hexDigit(byte[] bytes, int at) {
        boolean isDigit = at < bytes.length && HexFormat.isHexDigit(bytes[at]);
        return isDigit ? HexFormat.fromHexDigit(bytes[at]) : -1;
    }

    static String hex(byte[] bytes) {
        return LOWER_CASE.formatHex(bytes);
    }

    static String base64(byte[] bytes) {
        return Base64.getEncoder().encodeToString(bytes);
    }

    static String urlSafeBase64(byte[] bytes) {
        return Base64.getUrlEncoder().encodeToString(bytes);
    }

    static MessageDigest sha1() {
        try {
            return MessageDigest.getInstance("SHA-1");
        } catch (GeneralSecurityException missing) {
            throw new IllegalStateException(missing);
        }
    }

    static byte[] hmacSha1(String key, String text) {
        try {
            // Java refuses an empty key; HMAC pads keys with zeros, so one zero is the same.
            byte[] bytes = key.isEmpty() ? new byte[1] : Utf8.bytes(key);
            Mac mac = Mac.getInstance("HmacSHA1");
            mac.init(new SecretKeySpec(bytes, "HmacSHA1"));
            return mac.doFinal(Utf8.bytes(text));
        } catch (GeneralSecurityException missing) {
            throw new IllegalStateException(missing);
        }
    }

    /** Whether two signatures are the same text, in a time that does not show where they differ. */
    static boolean isSameSignature(String computed, String sent) {
        return MessageDigest.isEqual(Utf8.bytes(computed), Utf8.bytes(sent));
    }
}
