//! A conformance adapter for a Rust SDK of US3/UFile (crates.io: ufile-rus3).
//!
//! It puts the questions of ../../PROTOCOL.md to the SDK and reports what the SDK gives, unchanged.
//! This file is the protocol, `operations.rs` the SDK.
mod operations;

use operations::{OPERATIONS, Outcome};
use serde_json::{Value, json};
use std::io::{BufRead, Write, stdin, stdout};

fn main() -> std::io::Result<()> {
    for line in stdin().lock().lines() {
        let message: Value = serde_json::from_str(&line?)?;
        let reply = if message["n"].is_null() {
            greeting()
        } else {
            reply(&message)
        };
        let mut out = stdout().lock();
        out.write_all(format!("{reply}\n").as_bytes())?;
        out.flush()?;
    }
    Ok(())
}

/// Of hello nothing is needed: the SDK has its dialect, ucloud, built in.
fn greeting() -> Value {
    let names: Vec<&str> = OPERATIONS.iter().map(|(name, _)| *name).collect();
    json!({
        "protocol": 1,
        "implementation": {"name": "ufile-rus3", "version": ufile_rus3::VERSION, "language": "rust"},
        "operations": names,
        "window": 64,
    })
}

fn reply(question: &Value) -> Value {
    let n = &question["n"];
    let known = OPERATIONS
        .iter()
        .find(|(name, _)| question["operation"] == *name);
    let outcome = known.map_or(Ok(Outcome::Unsupported), |(_, operation)| {
        operation(&question["input"], &question["keys"])
    });
    match outcome {
        Ok(Outcome::Given(result)) => json!({"n": n, "result": result}),
        Ok(Outcome::Unsupported) => json!({"n": n, "unsupported": true}),
        // What the SDK returns for an input that it does not take.
        Err(refusal) => json!({"n": n, "refused": {"reason": refusal.to_string()}}),
    }
}
