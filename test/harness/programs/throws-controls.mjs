/** A signer whose errors hold what a terminal or a CI service would obey. */
export function urlEncode() {
  throw new Error('a\n::error::planted\u001b[2J\u009b\u202e##[error]planted');
}
