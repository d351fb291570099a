import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;

/** Parameters with the signature of bucket management and of the Action API (§5.1). */
record SignedAction(
        List<Parameter> parameters, List<Pair> sorted, String stringToSign, String signature) {
    static final String SIGNATURE = "Signature";

    static SignedAction of(List<Value.Member> members, String privateKey) {
        List<Parameter> parameters = new ArrayList<>();
        for (Value.Member member : members) {
            if (!member.name().equals(SIGNATURE)) { // R2
                Parameter.flatten(member.name(), member.value(), parameters);
            }
        }
        List<Pair> sorted = sorted(parameters);
        StringBuilder text = new StringBuilder();
        for (Pair parameter : sorted) {
            text.append(parameter.name()).append(parameter.value()); // step 3
        }
        text.append(privateKey); // step 4
        byte[] digest = Text.sha1().digest(Utf8.bytes(text.toString())); // step 5
        return new SignedAction(parameters, sorted, text.toString(), Text.hex(digest));
    }

    /** Step 2. */
    private static List<Pair> sorted(List<Parameter> parameters) {
        TreeMap<String, String> byName = new TreeMap<>(Text.BYTE_ORDER);
        for (Parameter parameter : parameters) {
            if (byName.put(parameter.name(), parameter.text()) != null) {
                String message = parameter.name() + " appears twice; §5.1 signs a set";
                throw new Refusal("parameter-repeated", message);
            }
        }
        List<Pair> sorted = new ArrayList<>();
        byName.forEach((name, text) -> sorted.add(new Pair(name, text)));
        return sorted;
    }

    /** The text of a parameter; null where there is none of that name. */
    String value(String name) {
        for (Parameter parameter : parameters) {
            if (parameter.name().equals(name)) {
                return parameter.text();
            }
        }
        return null;
    }

    /** Refuses a request that lacks one of these parameters. */
    SignedAction requiring(String... names) {
        for (String name : names) {
            if (value(name) == null) {
                throw new Refusal("parameter-missing", "the request has no " + name + " (§4)");
            }
        }
        return this;
    }

    /** The JSON form: one object whose members are the parameters (§4.2). */
    String body() {
        List<Pair> members = new ArrayList<>();
        for (Parameter parameter : parameters) {
            members.add(new Pair(parameter.name(), parameter.json()));
        }
        members.add(new Pair(SIGNATURE, Json.quoted(signature)));
        return Json.object(members);
    }

    /** The query form: names and values are URL-encoded, and the signature comes last (§5.3). */
    String query() {
        StringBuilder query = new StringBuilder();
        for (Pair parameter : sorted) {
            query.append(Text.urlEncoded(parameter.name())).append('=');
            query.append(Text.urlEncoded(parameter.value())).append('&');
        }
        return query.append(SIGNATURE).append('=').append(signature).toString();
    }
}
