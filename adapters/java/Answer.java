import java.util.List;

/** What an operation answers: the result, and the stages on the way to it. */
final class Answer {
    private final Lines lines = new Lines();

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
