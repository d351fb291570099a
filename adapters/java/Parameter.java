import java.util.List;

/** A parameter with a single value: its text as it is signed, and its JSON as it is sent. */
record Parameter(String name, String text, String json) {
    /**
     * Adds what is signed and sent for a value: a list or an object becomes a parameter for each of
     * its items, as {@code Name.0} and {@code Name.0.Key}, and an empty one none.
     */
    static void flatten(String name, Value value, List<Parameter> flat) {
        if (value instanceof Value.Text text) {
            flat.add(new Parameter(name, text.text(), Json.quoted(text.text())));
        } else if (value instanceof Value.Digits number) {
            String plain = Decimal.plain(number.digits());
            flat.add(new Parameter(name, plain, plain));
        } else if (value instanceof Value.Truth truth) {
            String word = Boolean.toString(truth.value());
            flat.add(new Parameter(name, word, word));
        } else if (value instanceof Value.Items list) {
            for (int position = 0; position < list.items().size(); position++) {
                flatten(name + "." + position, list.items().get(position), flat);
            }
        } else if (value instanceof Value.Members object) {
            for (Value.Member member : object.members()) {
                flatten(name + "." + member.name(), member.value(), flat);
            }
        } else {
            String message = "parameter " + Json.quoted(name) + " is null, which has no text";
            throw new Refusal("parameter-null", message);
        }
    }
}
