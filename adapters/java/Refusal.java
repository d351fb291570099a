/** A deliberate no, with one of the reasons of the protocol. The message never shows a key. */
final class Refusal extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final String reason;

    Refusal(String reason, String message) {
        super(message, null, false, false);
        this.reason = reason;
    }

    String reason() {
        return reason;
    }
}
