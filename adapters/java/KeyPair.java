record KeyPair(String publicKey, String privateKey) {
    /** Without the private key, wherever it is printed. */
    @Override
    public String toString() {
        return "KeyPair[publicKey=" + publicKey + "]";
    }
}
