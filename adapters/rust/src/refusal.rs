//! Why a question has no result.

/// A deliberate no, with one of the reasons of the protocol. The message never shows a key.
#[derive(Debug)]
pub struct Refusal {
    pub reason: &'static str,
    pub message: String,
}

/// A refusal as the error of a function that computes something.
pub fn refuse<T>(reason: &'static str, message: impl Into<String>) -> Result<T, Refusal> {
    Err(Refusal {
        reason,
        message: message.into(),
    })
}

#[derive(Debug)]
pub enum Failure {
    Refused(Refusal),
    /// The implementation has no way to express the input, and why: neither a pass nor a failure.
    Unsupported(String),
    /// The operation broke, which is never a no.
    Broken(String),
    /// The message is not one of the protocol; nothing can follow it.
    Malformed(String),
}

impl From<Refusal> for Failure {
    fn from(refusal: Refusal) -> Self {
        Failure::Refused(refusal)
    }
}
