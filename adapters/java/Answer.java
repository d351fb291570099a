import java.util.List;

/** What an operation answers: the result, and the stages on the way to it. */
final class Answer {
    private final Lines lines = new Lines();

    /** Where the implementation has no way to express the input: neither a pass nor a failure. */
    static Answer unsupported(String why) {
        Answer answer = new Answer();
        answer.lines.put("unsupported", why);
        return answer;
    }

    Answer result(String stage, String text) {
        lines.put("result." + stage, text);
        return this;
    }

    Answer trace(String stage, String text) {
        lines.put("trace." + stage, text);
        return this;
    }

    Answer trace(String stage, List<Pair> pairs) {
        lines.putPairs("trace." + stage, pairs);
        return this;
    }

    Lines lines() {
        return lines;
    }
}
