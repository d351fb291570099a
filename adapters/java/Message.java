import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A message in the tab-separated form, or a member of one. */
final class Message {
    /** The longest line, without its line feed. */
    private static final int LONGEST_LINE = 8 << 20;

    /** The most steps of a key: so many levels of lists and objects are followed, and no more. */
    private static final int MOST_STEPS = 1000;

    private final String path;
    private final Map<String, Message> members = new HashMap<>();
    private String text;

    private Message(String path) {
        this.path = path;
    }

    /** The next message; null where the input ends. */
    static Message read(InputStream input) throws IOException {
        String line = line(input);
        if (line == null) {
            return null;
        }
        Message message = new Message("");
        for (int number = 1; line == null || !line.isEmpty(); number++) {
            if (line == null) {
                throw new MalformedMessage("the input ends inside a message");
            }
            message.add(line, "line " + number + " of a message ");
            line = line(input);
        }
        return message;
    }

    private void add(String line, String where) {
        int tab = line.indexOf('\t');
        if (tab < 0) {
            throw new MalformedMessage(where + "has no tab");
        }
        String[] steps = line.substring(0, tab).split("\\.", -1);
        if (steps.length > MOST_STEPS) {
            throw new MalformedMessage(where + "nests too deep");
        }
        Message member = this;
        for (String step : steps) {
            Message below = member.members.get(step);
            if (below == null) {
                below = new Message(member.pathTo(step));
                member.members.put(step, below);
            }
            member = below;
        }
        if (member.text != null) {
            throw new MalformedMessage(where + "has a key that the message has already");
        }
        member.text = unescaped(line.substring(tab + 1), where);
    }

    /** The member at a path of names joined by dots; an empty one where there is none. */
    Message member(String wanted) {
        Message member = this;
        for (String step : wanted.split("\\.")) {
            Message below = member.members.get(step);
            member = below == null ? new Message(member.pathTo(step)) : below;
        }
        return member;
    }

    boolean has(String name) {
        return members.containsKey(name);
    }

    boolean hasText() {
        return text != null;
    }

    String text() {
        if (text == null) {
            throw new MalformedMessage("a message has no text at " + path);
        }
        return text;
    }

    String text(String wanted) {
        return member(wanted).text();
    }

    List<Message> list(String name) {
        Message list = member(name);
        int count = list.members.size();
        if (!list.text().equals(Integer.toString(count))) {
            throw new MalformedMessage("the list at " + list.path + " has another count");
        }
        List<Message> elements = new ArrayList<>(count);
        for (int position = 0; position < count; position++) {
            String step = Integer.toString(position);
            if (!list.has(step)) {
                throw new MalformedMessage("the list at " + list.path + " lacks element " + step);
            }
            elements.add(list.member(step));
        }
        return elements;
    }

    /** The name of the only member below this one; empty where there is another number of them. */
    String onlyName() {
        return members.size() == 1 ? members.keySet().iterator().next() : "";
    }

    private String pathTo(String step) {
        return path.isEmpty() ? step : path + "." + step;
    }

    /** One line without its line feed; null where the input ends. */
    private static String line(InputStream input) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        int next = input.read();
        if (next < 0) {
            return null;
        }
        for (; next != '\n'; next = input.read()) {
            if (next < 0) {
                throw new MalformedMessage("the input ends inside a line");
            }
            if (bytes.size() == LONGEST_LINE) {
                throw new MalformedMessage("a line is longer than " + LONGEST_LINE + " bytes");
            }
            bytes.write(next);
        }
        String line = Utf8.text(bytes.toByteArray());
        if (line == null) {
            throw new MalformedMessage("a line is not UTF-8");
        }
        return line;
    }

    private static String unescaped(String value, String where) {
        if (value.indexOf('\\') < 0) {
            return value;
        }
        StringBuilder text = new StringBuilder(value.length());
        for (int at = 0; at < value.length(); at++) {
            char next = value.charAt(at);
            if (next == '\\') {
                at++;
                int escape = at < value.length() ? "nt\\".indexOf(value.charAt(at)) : -1;
                if (escape < 0) {
                    throw new MalformedMessage(where + "has an escape that is none");
                }
                next = "\n\t\\".charAt(escape);
            }
            text.append(next);
        }
        return text.toString();
    }
}
