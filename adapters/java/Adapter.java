import java.io.BufferedInputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;

/**
 * An adapter of svc-conformance: it answers questions on standard input, as adapters/PROTOCOL.md
 * has it in its tab-separated form. What it offers is in {@link Operations}; this file is the same
 * whatever the implementation is.
 */
final class Adapter {
    private static final String PROTOCOL = "1";
    private static final String WINDOW = "64";
    private static final int LONGEST_MESSAGE = 300;

    private final InputStream input;
    private final OutputStream output;

    private Adapter(InputStream input, OutputStream output) {
        this.input = input;
        this.output = output;
    }

    public static void main(String[] arguments) throws IOException {
        OutputStream output = new FileOutputStream(FileDescriptor.out);
        // What an implementation prints must not come between the replies.
        System.setOut(System.err);
        try {
            new Adapter(new BufferedInputStream(System.in), output).converse();
        } catch (MalformedMessage malformed) {
            System.err.println(malformed.getMessage() + "; see adapters/PROTOCOL.md");
            System.exit(1);
        }
    }

    /** Answers messages until the input ends. */
    private void converse() throws IOException {
        Message hello = Message.read(input);
        if (hello == null) {
            return;
        }
        Dialect dialect = dialect(hello);
        helloReply().writeTo(output);
        Message message = Message.read(input);
        while (message != null) {
            reply(message, dialect).writeTo(output);
            message = Message.read(input);
        }
    }

    private static Dialect dialect(Message hello) {
        if (!hello.text("protocol").equals(PROTOCOL)) {
            throw new MalformedMessage("the first message is no hello of protocol " + PROTOCOL);
        }
        return new Dialect(
                hello.text("dialect.scheme"),
                hello.text("dialect.headerPrefix"),
                hello.text("dialect.publicKeyParameter"));
    }

    private static Lines helloReply() {
        return new Lines()
                .put("protocol", PROTOCOL)
                .put("implementation.name", Operations.NAME)
                .put("implementation.version", Operations.VERSION)
                .put("implementation.language", "java")
                .putTexts("operations", Operations.NAMES)
                .putTexts("traces", Operations.TRACES)
                .put("window", WINDOW);
    }

    private static Lines reply(Message message, Dialect dialect) {
        String n = message.text("n");
        String operation = message.text("operation");
        if (!Operations.NAMES.contains(operation)) {
            return new Lines().put("n", n).put("unsupported", "true");
        }
        KeyPair keys = new KeyPair(message.text("keys.publicKey"), message.text("keys.privateKey"));
        Question question = new Question(dialect, keys, message.member("input"));
        try {
            return new Lines().put("n", n).putAll(Operations.answer(operation, question).lines());
        } catch (MalformedMessage malformed) {
            throw malformed;
        } catch (Refusal refusal) {
            return new Lines()
                    .put("n", n)
                    .put("refused.reason", refusal.reason())
                    .put("refused.message", shortened(refusal.getMessage()));
        } catch (Exception | StackOverflowError broken) {
            return new Lines().put("n", n).put("error", broken + place(broken));
        }
    }

    /** Where it was thrown, as {@code (File.java:line)}; nothing where that is not known. */
    private static String place(Throwable broken) {
        StackTraceElement[] calls = broken.getStackTrace();
        return calls.length == 0
                ? ""
                : " (" + calls[0].getFileName() + ":" + calls[0].getLineNumber() + ")";
    }

    /** What is quoted in a message may be of any length. */
    private static String shortened(String message) {
        boolean isShort = message.codePointCount(0, message.length()) <= LONGEST_MESSAGE;
        int end = isShort ? message.length() : message.offsetByCodePoints(0, LONGEST_MESSAGE);
        return message.substring(0, end);
    }
}
