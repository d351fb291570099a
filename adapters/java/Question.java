import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

/** What is asked of an operation. */
record Question(Dialect dialect, KeyPair keys, Message input) {
    String text(String name) {
        return input.text(name);
    }

    /** A list of {@code [name, value]}: headers, form fields or members. */
    List<Pair> pairs(String name) {
        List<Pair> pairs = new ArrayList<>();
        for (Message pair : input.list(name)) {
            pairs.add(new Pair(pair.text("0"), pair.text("1")));
        }
        return pairs;
    }

    List<Value.Member> parameters() {
        return members(input.list("parameters"));
    }

    /** What a file holds, to be read piece by piece. */
    InputStream content() throws IOException {
        Message content = input.member("content");
        if (content.has("file")) {
            return Files.newInputStream(Path.of(content.text("file")));
        }
        try {
            return new ByteArrayInputStream(Base64.getDecoder().decode(content.text("bytes")));
        } catch (IllegalArgumentException noBase64) {
            throw new MalformedMessage("input.content.bytes is not Base64");
        }
    }

    private static List<Value.Member> members(List<Message> pairs) {
        List<Value.Member> members = new ArrayList<>();
        for (Message pair : pairs) {
            members.add(new Value.Member(pair.text("0"), value(pair.member("1"))));
        }
        return members;
    }

    /** A value: a text, or what the only member below says that it is. */
    private static Value value(Message message) {
        if (message.hasText()) {
            return new Value.Text(message.text());
        }
        String tag = message.onlyName();
        switch (tag) {
            case "number":
                return new Value.Digits(message.text(tag));
            case "boolean":
                return new Value.Truth(message.text(tag).equals("true"));
            case "null":
                return new Value.Null();
            case "list":
                List<Value> items = new ArrayList<>();
                for (Message item : message.list(tag)) {
                    items.add(value(item));
                }
                return new Value.Items(items);
            case "object":
                return new Value.Members(members(message.list(tag)));
            default:
                throw new MalformedMessage("a value is of no kind that the protocol has");
        }
    }
}
