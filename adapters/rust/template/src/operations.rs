//! What your implementation has, operation by operation; the other files of `src/` stay as they
//! are. Report what your implementation gives and repair nothing: no trimming, no re-encoding, no
//! retry. Your SDK is a dependency in `Cargo.toml`.

use crate::question::{Answer, Question};
use crate::refusal::Failure;

pub const NAME: &str = "my-sdk";
pub const VERSION: &str = "0";

/// The stages that your implementation lets anybody see, of those in PROTOCOL.md; "stringToSign"
/// explains the most.
pub const TRACES: &[&str] = &[];

/// The value of the Authorization header (§5.2), of what the question holds:
///
/// - `question.text("method")?`, `"bucket"`, `"key"`: "PUT", "demo", "a.txt"
/// - `question.pairs("headers")?`: the names and values, in order
/// - `question.keys`, `question.dialect`: the key pair, and the words of the service ("Svc",
///   "X-Svc-", "SvcPublicKey")
///
/// Call your SDK with them, and return
///
/// ```text
/// Ok(Answer { result: vec![("authorization", value)], trace: vec![] })
/// ```
///
/// The stages it shows go into the trace: `("stringToSign", Stage::Text(text))`. A deliberate no of
/// your SDK is `Ok(refuse(reason, message)?)`, of `crate::refusal`; `Failure::Broken` and a panic
/// say that it broke. Where it has no way to express the input, such as a header name twice, return
/// `Err(Failure::Unsupported(why))`: neither a pass nor a failure.
#[allow(unused_variables)] // until it is filled in
fn authorization(question: &Question) -> Result<Answer, Failure> {
    panic!("fill in authorization() in src/operations.rs")
}

pub type Operation = fn(&Question) -> Result<Answer, Failure>;

pub const OPERATIONS: &[(&str, Operation)] = &[
    ("authorization", authorization),
    // The next one is one line and one function; PROTOCOL.md names them all:
    // ("presigned-url", presigned_url),
];
