/** A message that is not one of the protocol; nothing can follow it. */
final class MalformedMessage extends RuntimeException {
    private static final long serialVersionUID = 1;

    MalformedMessage(String message) {
        super(message);
    }
}
