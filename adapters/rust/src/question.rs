//! What is asked of an operation and what it answers, as adapters/PROTOCOL.md has it.

use std::fs::File;
use std::io::{self, Read};

use crate::message::Member;
use crate::refusal::Failure;

/// The three words in which deployments of the service differ.
pub struct Dialect {
    pub scheme: String,
    pub header_prefix: String,
    pub public_key_parameter: String,
}

pub struct KeyPair<'a> {
    pub public_key: &'a str,
    pub private_key: &'a str,
}

pub struct Question<'a> {
    pub dialect: &'a Dialect,
    pub keys: KeyPair<'a>,
    pub input: &'a Member,
}

pub enum Stage {
    Text(String),
    Pairs(Vec<(String, String)>),
}

/// The result, and the stages on the way to it.
pub struct Answer {
    pub result: Vec<(&'static str, String)>,
    pub trace: Vec<(&'static str, Stage)>,
}

/// A value of a parameter, and so of JSON. Members stay in order, and a name may repeat.
pub enum Value {
    Text(String),
    /// The digits as written.
    Number(String),
    Boolean(bool),
    Null,
    List(Vec<Value>),
    Object(Vec<(String, Value)>),
}

impl<'a> Question<'a> {
    /// The text of a member of the input, by its path.
    pub fn text(&self, path: &str) -> Result<&'a str, Failure> {
        self.input.text(path)
    }

    /// A list of `[name, value]`: headers, form fields or members.
    pub fn pairs(&self, name: &str) -> Result<Vec<(String, String)>, Failure> {
        self.input.pairs(name)
    }

    pub fn parameters(&self) -> Result<Vec<(String, Value)>, Failure> {
        let parameters = self.input.list("parameters")?.into_iter();
        parameters.map(named_value).collect()
    }

    /// What a file holds, to be read piece by piece.
    pub fn content(&self) -> Result<Box<dyn Read>, Failure> {
        if self.input.find("content.file").is_some() {
            let file = File::open(self.text("content.file")?);
            return Ok(Box::new(file.map_err(|error| unreadable(&error))?));
        }
        match base64_decoded(self.text("content.bytes")?) {
            Some(bytes) => Ok(Box::new(io::Cursor::new(bytes))),
            None => Err(Failure::Malformed(
                "input.content.bytes is not Base64".into(),
            )),
        }
    }
}

pub fn unreadable(error: &io::Error) -> Failure {
    Failure::Broken(format!("the content cannot be read: {error}"))
}

fn named_value(pair: &Member) -> Result<(String, Value), Failure> {
    let name = pair.text("0")?.to_owned();
    match pair.find("1") {
        Some(member) => Ok((name, value(member)?)),
        None => Err(Failure::Malformed("a parameter has no value".into())),
    }
}

/// A value: a text, or the tag that says what else it is.
fn value(member: &Member) -> Result<Value, Failure> {
    if let Some(text) = member.own_text() {
        return Ok(Value::Text(text.to_owned()));
    }
    match member.tag() {
        Some("number") => Ok(Value::Number(member.text("number")?.to_owned())),
        Some("boolean") => Ok(Value::Boolean(member.text("boolean")? == "true")),
        Some("null") => Ok(Value::Null),
        Some("list") => {
            let items = member.list("list")?.into_iter().map(value);
            items.collect::<Result<_, _>>().map(Value::List)
        }
        Some("object") => {
            let members = member.list("object")?.into_iter().map(named_value);
            members.collect::<Result<_, _>>().map(Value::Object)
        }
        _ => Err(Failure::Malformed(
            "a value is of no kind that the protocol has".into(),
        )),
    }
}

pub fn base64_decoded(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    let (mut bits, mut count) = (0u32, 0);
    for digit in text.trim_end_matches('=').bytes() {
        let value = match digit {
            b'A'..=b'Z' => digit - b'A',
            b'a'..=b'z' => digit - b'a' + 26,
            b'0'..=b'9' => digit - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => return None,
        };
        bits = bits << 6 | u32::from(value);
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count & 0xff) as u8);
        }
    }
    Some(bytes)
}
