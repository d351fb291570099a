import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.security.MessageDigest;

/** The ETag of a file (§2), in an amount of memory that does not depend on its size. */
record Etag(int blockCount, byte[] digest) {
    /** §2 says 4 MB; the service's are 4 MiB. */
    private static final int BLOCK = 4 << 20;

    private static final int BUFFER = 1 << 16;

    /** The SHA-1 of the content of one block, or the SHA-1 of the SHA-1s of several blocks. */
    static Etag of(InputStream content) throws IOException {
        MessageDigest blocks = Text.sha1();
        int blockCount = 0;
        byte[] onlyBlock = Text.sha1().digest();
        MessageDigest block = Text.sha1();
        while (update(block, content, BLOCK) > 0) {
            onlyBlock = block.digest();
            blocks.update(onlyBlock);
            blockCount++;
        }
        return new Etag(blockCount, blockCount > 1 ? blocks.digest() : onlyBlock);
    }

    /** The SHA-1 of a part of an upload. */
    static byte[] partDigest(InputStream content) throws IOException {
        MessageDigest part = Text.sha1();
        update(part, content, Long.MAX_VALUE);
        return part.digest();
    }

    /** Takes so many bytes at most, and says how many there were. */
    private static long update(MessageDigest digest, InputStream content, long most)
            throws IOException {
        byte[] buffer = new byte[BUFFER];
        long total = 0;
        int wanted = BUFFER;
        for (int length = wanted; length == wanted && total < most; total += length) {
            wanted = (int) Math.min(BUFFER, most - total);
            length = content.readNBytes(buffer, 0, wanted);
            digest.update(buffer, 0, length);
        }
        return total;
    }

    /** The URL-safe Base64 of the block count, least significant byte first, and of the SHA-1. */
    String text() {
        ByteBuffer bytes = ByteBuffer.allocate(Integer.BYTES + digest.length);
        bytes.order(ByteOrder.LITTLE_ENDIAN).putInt(blockCount).put(digest);
        return Text.urlSafeBase64(bytes.array());
    }
}
