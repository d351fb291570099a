//! An adapter of svc-conformance: it answers questions on standard input, as adapters/PROTOCOL.md
//! has it in its tab-separated form. What it offers is in `operations.rs`; this file is the same
//! whatever the implementation is.

// An adapter need not ask for all that a question can hold.
#[allow(dead_code)]
mod message;
mod operations;
#[allow(dead_code)]
mod question;
#[allow(dead_code)]
mod refusal;

use std::any::Any;
use std::cell::Cell;
use std::io::{self, BufRead, Write};
use std::panic::{self, AssertUnwindSafe};
use std::process::ExitCode;

use message::{Lines, Member};
use operations::{Operation, NAME, OPERATIONS, TRACES, VERSION};
use question::{Answer, Dialect, KeyPair, Question, Stage};
use refusal::Failure;

const PROTOCOL: &str = "1";
const WINDOW: &str = "64";
/// What is quoted in a message may be of any length.
const LONGEST_MESSAGE: usize = 300;

thread_local! {
    /// Where this thread panicked last, as ` (file:line)`.
    static PANIC_PLACE: Cell<String> = const { Cell::new(String::new()) };
}

fn main() -> ExitCode {
    let show = panic::take_hook();
    panic::set_hook(Box::new(move |panicked| {
        let place = panicked.location();
        let text = place.map(|at| format!(" ({}:{})", at.file(), at.line()));
        PANIC_PLACE.set(text.unwrap_or_default());
        show(panicked);
    }));
    let conversation = replies()
        .map_err(|error| format!("standard output cannot be kept for the replies: {error}"))
        .and_then(|mut output| converse(&mut io::stdin().lock(), &mut output));
    match conversation {
        Ok(()) => ExitCode::SUCCESS,
        Err(what) => {
            eprintln!("{what}");
            ExitCode::FAILURE
        }
    }
}

/// Standard output for the replies alone: what an SDK prints goes to standard error.
#[cfg(unix)]
fn replies() -> io::Result<impl Write> {
    use std::os::fd::AsFd;

    // The standard library links C's, and has no such function of its own.
    extern "C" {
        fn dup2(from: i32, to: i32) -> i32;
    }
    let output = io::stdout().as_fd().try_clone_to_owned()?;
    // SAFETY: it takes two numbers; the first is standard error, the second standard output.
    if unsafe { dup2(2, 1) } < 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(std::fs::File::from(output))
}

/// Standard output, which an SDK must not print to.
#[cfg(not(unix))]
fn replies() -> io::Result<impl Write> {
    Ok(io::stdout())
}

/// Answers messages until the input ends; fails on the first that is malformed.
fn converse(input: &mut impl BufRead, output: &mut impl Write) -> Result<(), String> {
    let Some(hello) = read(input)? else {
        return Ok(());
    };
    let dialect = dialect(&hello).map_err(sentence)?;
    written(hello_reply().write(output))?;
    while let Some(question) = read(input)? {
        let reply = reply(&question, &dialect).map_err(sentence)?;
        written(reply.write(output))?;
    }
    Ok(())
}

fn read(input: &mut impl BufRead) -> Result<Option<Member>, String> {
    Member::read(input).map_err(sentence)
}

fn written(result: io::Result<()>) -> Result<(), String> {
    result.map_err(|error| format!("the reply cannot be written: {error}"))
}

fn sentence(failure: Failure) -> String {
    match failure {
        Failure::Malformed(what) | Failure::Unsupported(what) | Failure::Broken(what) => {
            format!("{what}; see adapters/PROTOCOL.md")
        }
        Failure::Refused(refusal) => refusal.message,
    }
}

fn dialect(hello: &Member) -> Result<Dialect, Failure> {
    if hello.text("protocol")? != PROTOCOL {
        let what = format!("the first message is no hello of protocol {PROTOCOL}");
        return Err(Failure::Malformed(what));
    }
    Ok(Dialect {
        scheme: hello.text("dialect.scheme")?.to_owned(),
        header_prefix: hello.text("dialect.headerPrefix")?.to_owned(),
        public_key_parameter: hello.text("dialect.publicKeyParameter")?.to_owned(),
    })
}

fn hello_reply() -> Lines {
    let names: Vec<&str> = OPERATIONS.iter().map(|(name, _)| *name).collect();
    let mut reply = Lines::default();
    reply.put("protocol", PROTOCOL);
    reply.put("implementation.name", NAME);
    reply.put("implementation.version", VERSION);
    reply.put("implementation.language", "rust");
    reply.put_list("operations", &names);
    reply.put_list("traces", TRACES);
    reply.put("window", WINDOW);
    reply
}

fn reply(message: &Member, dialect: &Dialect) -> Result<Lines, Failure> {
    let mut reply = Lines::default();
    reply.put("n", message.text("n")?);
    let name = message.text("operation")?;
    let Some((_, operation)) = OPERATIONS.iter().find(|(offered, _)| *offered == name) else {
        reply.put("unsupported", "true");
        return Ok(reply);
    };
    match answer(*operation, message, dialect) {
        Ok(answer) => put_answer(&mut reply, answer),
        Err(Failure::Refused(refusal)) => {
            reply.put("refused.reason", refusal.reason);
            let message: String = refusal.message.chars().take(LONGEST_MESSAGE).collect();
            reply.put("refused.message", &message);
        }
        Err(Failure::Unsupported(why)) => reply.put("unsupported", &why),
        Err(Failure::Broken(what)) => reply.put("error", &what),
        Err(malformed) => return Err(malformed),
    }
    Ok(reply)
}

/// What the operation answers; a panic inside it is an error and not the end.
fn answer(operation: Operation, message: &Member, dialect: &Dialect) -> Result<Answer, Failure> {
    let none = Member::default();
    let question = Question {
        dialect,
        keys: KeyPair {
            public_key: message.text("keys.publicKey")?,
            private_key: message.text("keys.privateKey")?,
        },
        input: message.find("input").unwrap_or(&none),
    };
    panic::catch_unwind(AssertUnwindSafe(|| operation(&question)))
        .unwrap_or_else(|payload| Err(Failure::Broken(panic_message(payload.as_ref()))))
}

fn panic_message(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<String>().map(String::as_str);
    let what = text.or_else(|| payload.downcast_ref::<&str>().copied());
    let what = what.unwrap_or("with no message");
    format!("panicked: {what}{}", PANIC_PLACE.take())
}

fn put_answer(reply: &mut Lines, answer: Answer) {
    for (stage, text) in &answer.result {
        reply.put(&format!("result.{stage}"), text);
    }
    for (stage, value) in &answer.trace {
        let key = format!("trace.{stage}");
        match value {
            Stage::Text(text) => reply.put(&key, text),
            Stage::Pairs(pairs) => reply.put_pairs(&key, pairs),
        }
    }
}
