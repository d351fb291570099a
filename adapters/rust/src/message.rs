//! The tab-separated form of the protocol's messages (adapters/PROTOCOL.md).

use std::collections::BTreeMap;
use std::io::{self, BufRead, Read};

use crate::refusal::Failure;

/// The longest line, without its line feed.
const LONGEST_LINE: u64 = 8 << 20;

/// The most steps of a key: so many levels of lists and objects are followed, and no more.
const MOST_STEPS: usize = 1000;

/// A member of a message: its own text, if it has a line of its own, and the members below it.
#[derive(Default)]
pub struct Member {
    text: Option<String>,
    members: BTreeMap<String, Member>,
}

impl Member {
    /// The next message; nothing where the input ends.
    pub fn read(input: &mut impl BufRead) -> Result<Option<Member>, Failure> {
        let mut message = Member::default();
        for number in 1.. {
            match line(input)?.as_deref() {
                None if number == 1 => return Ok(None),
                None => return Err(malformed("the input ends inside a message")),
                Some("") => break,
                Some(line) => message
                    .insert(line)
                    .map_err(|what| malformed(&format!("line {number} of a message {what}")))?,
            }
        }
        Ok(Some(message))
    }

    fn insert(&mut self, line: &str) -> Result<(), &'static str> {
        let (path, value) = line.split_once('\t').ok_or("has no tab")?;
        if path.split('.').nth(MOST_STEPS).is_some() {
            return Err("nests too deep");
        }
        let mut member = self;
        for step in path.split('.') {
            member = member.members.entry(step.to_owned()).or_default();
        }
        if member.text.is_some() {
            return Err("has a key that the message has already");
        }
        member.text = Some(unescaped(value).ok_or("has an escape that is none")?);
        Ok(())
    }

    /// The member at a path of names joined by dots, where it is there.
    pub fn find(&self, path: &str) -> Option<&Member> {
        path.split('.')
            .try_fold(self, |member, step| member.members.get(step))
    }

    /// The text of the member's own line, where it has one.
    pub fn own_text(&self) -> Option<&str> {
        self.text.as_deref()
    }

    /// The name of the only member below this one.
    pub fn tag(&self) -> Option<&str> {
        let (name, _) = self.members.first_key_value()?;
        (self.members.len() == 1).then_some(name)
    }

    /// The text at a path.
    pub fn text(&self, path: &str) -> Result<&str, Failure> {
        self.find(path)
            .and_then(|member| member.text.as_deref())
            .ok_or_else(|| malformed(&format!("a message has no text at {path}")))
    }

    /// The elements of the list at a path.
    pub fn list(&self, path: &str) -> Result<Vec<&Member>, Failure> {
        let count = self.text(path)?;
        let elements = self.find(path).map_or(0, |list| list.members.len());
        if count != elements.to_string() {
            return Err(malformed(&format!("the list at {path} has another count")));
        }
        (0..elements)
            .map(|position| {
                self.find(&format!("{path}.{position}")).ok_or_else(|| {
                    malformed(&format!("the list at {path} lacks element {position}"))
                })
            })
            .collect()
    }

    /// The list of `[name, value]` at a path.
    pub fn pairs(&self, path: &str) -> Result<Vec<(String, String)>, Failure> {
        self.list(path)?
            .into_iter()
            .map(|pair| Ok((pair.text("0")?.to_owned(), pair.text("1")?.to_owned())))
            .collect()
    }
}

/// One line without its line feed; nothing where the input ends.
fn line(input: &mut impl BufRead) -> Result<Option<String>, Failure> {
    let mut bytes = Vec::new();
    let mut limited = input.take(LONGEST_LINE + 1);
    match limited.read_until(b'\n', &mut bytes) {
        Ok(0) => return Ok(None),
        Ok(_) => {}
        Err(error) => return Err(malformed(&format!("the input cannot be read, {error}"))),
    }
    if bytes.pop() != Some(b'\n') {
        return Err(malformed("a line is too long, or the input ends inside it"));
    }
    let text = String::from_utf8(bytes);
    text.map(Some).map_err(|_| malformed("a line is not UTF-8"))
}

fn malformed(what: &str) -> Failure {
    Failure::Malformed(what.to_owned())
}

fn unescaped(value: &str) -> Option<String> {
    let mut text = String::with_capacity(value.len());
    let mut characters = value.chars();
    while let Some(character) = characters.next() {
        text.push(match character {
            '\\' => match characters.next()? {
                'n' => '\n',
                't' => '\t',
                '\\' => '\\',
                _ => return None,
            },
            other => other,
        });
    }
    Some(text)
}

/// A message to be written.
#[derive(Default)]
pub struct Lines(String);

impl Lines {
    pub fn put(&mut self, key: &str, value: &str) {
        let escaped = value
            .replace('\\', "\\\\")
            .replace('\t', "\\t")
            .replace('\n', "\\n");
        self.0.push_str(&format!("{key}\t{escaped}\n"));
    }

    pub fn put_list(&mut self, key: &str, texts: &[&str]) {
        self.put(key, &texts.len().to_string());
        for (position, text) in texts.iter().enumerate() {
            self.put(&format!("{key}.{position}"), text);
        }
    }

    pub fn put_pairs(&mut self, key: &str, pairs: &[(String, String)]) {
        self.put(key, &pairs.len().to_string());
        for (position, (name, value)) in pairs.iter().enumerate() {
            self.put(&format!("{key}.{position}.0"), name);
            self.put(&format!("{key}.{position}.1"), value);
        }
    }

    /// Writes the message and the blank line that ends it.
    pub fn write(mut self, output: &mut impl io::Write) -> io::Result<()> {
        self.0.push('\n');
        output.write_all(self.0.as_bytes())?;
        output.flush()
    }
}
