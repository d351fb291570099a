import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What your implementation has, operation by operation; the other files stay as they are. Report
 * what your implementation gives and repair nothing: no trimming, no re-encoding, no retry. What
 * your SDK needs to be found goes into adapter.json, for javac and for java: its JARs, -cp.
 */
final class Operations {
    static final String NAME = "my-sdk";
    static final String VERSION = "0";

    /**
     * The stages that your implementation lets anybody see, of those in PROTOCOL.md; "stringToSign"
     * explains the most.
     */
    static final List<String> TRACES = List.of();

    private static final Map<String, Operation> OPERATIONS = new LinkedHashMap<>();

    static {
        OPERATIONS.put("authorization", Operations::authorization);
        // The next one is one line and one method; PROTOCOL.md names them all:
        // OPERATIONS.put("presigned-url", Operations::presignedUrl);
    }

    static final List<String> NAMES = List.copyOf(OPERATIONS.keySet());

    private Operations() {}

    /**
     * The value of the Authorization header (§5.2), of what the question holds:
     *
     * <ul>
     *   <li>{@code question.text("method")}, {@code "bucket"}, {@code "key"}: "PUT", "demo", "a.txt"
     *   <li>{@code question.pairs("headers")}: the names and values, in order
     *   <li>{@code question.keys()}, {@code question.dialect()}: the key pair, and the words of the
     *       service ("Svc", "X-Svc-", "SvcPublicKey")
     * </ul>
     *
     * Call your SDK with them, and return {@code new Answer().result("authorization", value)}; the
     * stages it shows are added with {@code .trace("stringToSign", text)}. A deliberate no of your
     * SDK is {@code throw new Refusal(reason, message)}; any other exception says that it broke.
     * Where it has no way to express the input, such as a header name twice, return {@code
     * Answer.unsupported(why)}: neither a pass nor a failure.
     */
    private static Answer authorization(Question question) throws Exception {
        throw new UnsupportedOperationException("fill in authorization() in Operations.java");
    }

    private interface Operation {
        Answer answer(Question question) throws Exception;
    }

    /** The answer to a question about one of {@link #NAMES}. */
    static Answer answer(String name, Question question) throws Exception {
        return OPERATIONS.get(name).answer(question);
    }
}
