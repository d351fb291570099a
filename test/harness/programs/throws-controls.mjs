/** A signer whose errors contain sequences that a terminal or a CI service would interpret. */
export function urlEncode() {
  throw new Error('a\n::error::planted\u001b[2J\u009b\u202e##[error]planted');
}
