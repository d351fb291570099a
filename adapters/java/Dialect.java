/** The three words in which deployments of the service differ. */
record Dialect(String scheme, String headerPrefix, String publicKeyParameter) {}
