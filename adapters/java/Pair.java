/** A name and its value, as a request has them: a name may repeat, and the order counts. */
record Pair(String name, String value) {}
