import java.util.List;

/** A value of a parameter, and so of JSON. */
sealed interface Value {
    /** A member of an object, or a parameter of a request. */
    record Member(String name, Value value) {}

    record Text(String text) implements Value {}

    /** A number, in the digits as written. */
    record Digits(String digits) implements Value {}

    record Truth(boolean value) implements Value {}

    record Null() implements Value {}

    record Items(List<Value> items) implements Value {}

    record Members(List<Member> members) implements Value {}
}
