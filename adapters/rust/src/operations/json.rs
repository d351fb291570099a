//! JSON as §4.2 has it: strict, and with numbers as they are written.

use super::number::is_number;
use crate::question::Value;

pub enum ParseError {
    Malformed,
    TooDeep,
}

/// The levels that are followed; the stack has an end.
const MOST_LEVELS: usize = 500;

/// The value that a text of JSON holds, with nothing behind it.
pub fn parse(text: &str) -> Result<Value, ParseError> {
    let mut parser = Parser { rest: text };
    let value = parser.value(0)?;
    parser.skip_blanks();
    if parser.rest.is_empty() {
        Ok(value)
    } else {
        Err(ParseError::Malformed)
    }
}

struct Parser<'a> {
    rest: &'a str,
}

impl<'a> Parser<'a> {
    fn value(&mut self, level: usize) -> Result<Value, ParseError> {
        if level > MOST_LEVELS {
            return Err(ParseError::TooDeep);
        }
        self.skip_blanks();
        if self.skip('{') {
            let member = |parser: &mut Self| {
                parser.skip_blanks();
                let name = parser.text()?;
                parser.expect(':')?;
                Ok((name, parser.value(level + 1)?))
            };
            return self.until('}', member).map(Value::Object);
        }
        if self.skip('[') {
            let item = |parser: &mut Self| parser.value(level + 1);
            return self.until(']', item).map(Value::List);
        }
        if self.rest.starts_with('"') {
            return self.text().map(Value::Text);
        }
        match self.word() {
            "true" => Ok(Value::Boolean(true)),
            "false" => Ok(Value::Boolean(false)),
            "null" => Ok(Value::Null),
            number if is_number(number) => Ok(Value::Number(number.to_owned())),
            _ => Err(ParseError::Malformed),
        }
    }

    /// Items with commas between them, up to the character that closes them.
    fn until<T>(
        &mut self,
        end: char,
        mut item: impl FnMut(&mut Self) -> Result<T, ParseError>,
    ) -> Result<Vec<T>, ParseError> {
        let mut items = Vec::new();
        self.skip_blanks();
        if self.skip(end) {
            return Ok(items);
        }
        loop {
            items.push(item(self)?);
            self.skip_blanks();
            if self.skip(end) {
                return Ok(items);
            }
            self.expect(',')?;
        }
    }

    fn text(&mut self) -> Result<String, ParseError> {
        self.expect('"')?;
        let mut text = String::new();
        loop {
            match self.next()? {
                '"' => return Ok(text),
                '\\' => text.push(self.escaped()?),
                bare if bare < ' ' => return Err(ParseError::Malformed),
                bare => text.push(bare),
            }
        }
    }

    fn escaped(&mut self) -> Result<char, ParseError> {
        Ok(match self.next()? {
            'b' => '\u{8}',
            'f' => '\u{c}',
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'u' => return self.code_point(),
            same @ ('"' | '\\' | '/') => same,
            _ => return Err(ParseError::Malformed),
        })
    }

    /// What stands behind `\u`; a character beyond U+FFFF takes two escapes.
    fn code_point(&mut self) -> Result<char, ParseError> {
        let mut units = vec![self.unit()?];
        if (0xd800..0xdc00).contains(&units[0]) {
            let second = self.skip('\\') && self.skip('u');
            units.push(if second { self.unit()? } else { 0 });
        }
        let text = String::from_utf16(&units).map_err(|_| ParseError::Malformed)?;
        text.chars().next().ok_or(ParseError::Malformed)
    }

    fn unit(&mut self) -> Result<u16, ParseError> {
        let digits = self.rest.get(..4).ok_or(ParseError::Malformed)?;
        self.rest = &self.rest[4..];
        let is_hex = digits.bytes().all(|digit| digit.is_ascii_hexdigit());
        let unit = u16::from_str_radix(digits, 16).ok();
        unit.filter(|_| is_hex).ok_or(ParseError::Malformed)
    }

    /// A number, or one of the three words.
    fn word(&mut self) -> &'a str {
        let is_inside = |next: char| next.is_ascii_alphanumeric() || "+-.".contains(next);
        let rest = self.rest.trim_start_matches(is_inside);
        let word = &self.rest[..self.rest.len() - rest.len()];
        self.rest = rest;
        word
    }

    fn next(&mut self) -> Result<char, ParseError> {
        let mut characters = self.rest.chars();
        let next = characters.next().ok_or(ParseError::Malformed)?;
        self.rest = characters.as_str();
        Ok(next)
    }

    fn skip(&mut self, wanted: char) -> bool {
        let rest = self.rest.strip_prefix(wanted);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn expect(&mut self, wanted: char) -> Result<(), ParseError> {
        self.skip_blanks();
        self.skip(wanted).then_some(()).ok_or(ParseError::Malformed)
    }

    fn skip_blanks(&mut self) {
        self.rest = self.rest.trim_start_matches([' ', '\t', '\n', '\r']);
    }
}

/// A text in the notation of JSON, with only those escapes that it asks for.
pub fn quoted(text: &str) -> String {
    let mut json = String::with_capacity(text.len() + 2);
    json.push('"');
    for character in text.chars() {
        match character {
            '"' => json.push_str("\\\""),
            '\\' => json.push_str("\\\\"),
            '\u{8}' => json.push_str("\\b"),
            '\u{c}' => json.push_str("\\f"),
            '\n' => json.push_str("\\n"),
            '\r' => json.push_str("\\r"),
            '\t' => json.push_str("\\t"),
            control if control < ' ' => json.push_str(&format!("\\u{:04x}", u32::from(control))),
            other => json.push(other),
        }
    }
    json.push('"');
    json
}

/// An object of members that are JSON already, without white space.
pub fn object<'a>(members: impl IntoIterator<Item = (&'a str, String)>) -> String {
    let members: Vec<String> = members
        .into_iter()
        .map(|(name, value)| format!("{}:{value}", quoted(name)))
        .collect();
    format!("{{{}}}", members.join(","))
}
