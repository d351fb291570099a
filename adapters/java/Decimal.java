import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Numbers as plain decimal text (§5.1 step 3). */
final class Decimal {
    /** Sign, whole digits, digits of the fraction, sign of the exponent and its digits. */
    private static final Pattern NUMBER =
            Pattern.compile(
                    "(-?)(0|[1-9][0-9]*+)(?:\\.([0-9]++))?(?:[eE]([+-]?)(?=[0-9])0*+([0-9]*+))?");

    /** As much of an exponent's digits as any real one has. */
    private static final int LONGEST_EXPONENT = 4;

    private Decimal() {}

    /** Whether a text is a number of JSON. */
    static boolean isNumber(String text) {
        return NUMBER.matcher(text).matches();
    }

    /** A JSON number without exponent, trailing zeros of its fraction and sign of zero. */
    static String plain(String number) {
        Matcher parts = NUMBER.matcher(number);
        if (!parts.matches()) {
            throw new Refusal("number", "a number is not a decimal one (§5.1 step 3)");
        }
        String fraction = parts.group(3) == null ? "" : parts.group(3);
        StringBuilder digits = new StringBuilder(parts.group(2)).append(fraction);
        if (isZero(digits)) {
            return "0";
        }
        int point = parts.group(2).length() + exponent(parts.group(4), parts.group(5));
        if (point < 1) {
            digits.insert(0, "0".repeat(1 - point));
            point = 1;
        }
        if (point < digits.length()) {
            digits.insert(point, '.');
            trimFraction(digits);
        } else {
            digits.append("0".repeat(point - digits.length()));
        }
        return parts.group(1) + withoutLeadingZeros(digits);
    }

    private static boolean isZero(CharSequence digits) {
        return digits.chars().allMatch(digit -> digit == '0');
    }

    private static int exponent(String sign, String digits) {
        if (digits == null || digits.isEmpty()) {
            return 0;
        }
        if (digits.length() > LONGEST_EXPONENT) {
            throw new Refusal("number", "an exponent stands for more than 9999 zeros");
        }
        int exponent = Integer.parseInt(digits);
        return sign.equals("-") ? -exponent : exponent;
    }

    private static void trimFraction(StringBuilder number) {
        int end = number.length();
        while (number.charAt(end - 1) == '0') {
            end--;
        }
        number.setLength(number.charAt(end - 1) == '.' ? end - 1 : end);
    }

    /** Without the zeros before the first digit, but for the one before a point. */
    private static String withoutLeadingZeros(StringBuilder number) {
        int start = 0;
        while (number.charAt(start) == '0' && number.charAt(start + 1) != '.') {
            start++;
        }
        return number.substring(start);
    }
}
