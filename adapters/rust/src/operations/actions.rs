//! The signature of bucket management and of the Action API (§5.1), and its two forms (§4.2, §5.3).

use super::json;
use super::number::plain_decimal;
use super::sha1::sha1;
use super::text::{hex, url_encode};
use crate::question::Value;
use crate::refusal::{refuse, Refusal};

pub const SIGNATURE: &str = "Signature";

/// A parameter with a single value, as it is signed and sent.
struct Parameter {
    name: String,
    text: String,
    is_text: bool,
}

pub struct SignedAction {
    parameters: Vec<Parameter>,
    pub sorted: Vec<(String, String)>,
    pub string_to_sign: String,
    pub signature: String,
}

pub fn sign(parameters: &[(String, Value)], private_key: &str) -> Result<SignedAction, Refusal> {
    let mut flat = Vec::new();
    // R2
    for (name, value) in parameters.iter().filter(|(name, _)| name != SIGNATURE) {
        flatten(name, value, &mut flat)?;
    }
    let mut sorted: Vec<(String, String)> = flat
        .iter()
        .map(|Parameter { name, text, .. }| (name.clone(), text.clone()))
        .collect();
    sorted.sort(); // step 2: a str compares by its bytes
    if let Some(pair) = sorted.windows(2).find(|pair| pair[0].0 == pair[1].0) {
        let message = format!("parameter {:?} is there twice; §5.1 signs a set", pair[0].0);
        return refuse("parameter-repeated", message);
    }
    let mut text: String = sorted
        .iter()
        .flat_map(|(name, value)| [name.as_str(), value])
        .collect(); // step 3
    text.push_str(private_key); // step 4
    Ok(SignedAction {
        parameters: flat,
        sorted,
        signature: hex(&sha1(text.as_bytes())), // steps 5, 6
        string_to_sign: text,
    })
}

/// A list or an object becomes a parameter for each of its items, as `Name.0` and `Name.0.Key`; an
/// empty one becomes none.
fn flatten(name: &str, value: &Value, flat: &mut Vec<Parameter>) -> Result<(), Refusal> {
    let (text, is_text) = match value {
        Value::Text(text) => (text.clone(), true),
        Value::Number(digits) => (plain_decimal(digits)?, false),
        Value::Boolean(boolean) => (boolean.to_string(), false),
        Value::Null => {
            return refuse(
                "parameter-null",
                format!("parameter {name:?} is null, which has no text"),
            )
        }
        Value::List(items) => {
            return (0..)
                .zip(items)
                .try_for_each(|(position, item): (usize, _)| {
                    flatten(&format!("{name}.{position}"), item, flat)
                })
        }
        Value::Object(members) => {
            return members
                .iter()
                .try_for_each(|(member, value)| flatten(&format!("{name}.{member}"), value, flat))
        }
    };
    flat.push(Parameter {
        name: name.to_owned(),
        text,
        is_text,
    });
    Ok(())
}

impl SignedAction {
    pub fn value(&self, name: &str) -> Option<&str> {
        let parameter = self
            .parameters
            .iter()
            .find(|parameter| parameter.name == name);
        parameter.map(|parameter| parameter.text.as_str())
    }

    /// Refuses a request that lacks one of these parameters.
    pub fn require(self, names: &[&str]) -> Result<Self, Refusal> {
        match names.iter().find(|name| self.value(name).is_none()) {
            Some(name) => refuse(
                "parameter-missing",
                format!("the request has no {name} (§4)"),
            ),
            None => Ok(self),
        }
    }

    /// The JSON form: one object whose members are the parameters (§4.2).
    pub fn body(&self) -> String {
        let members = self.parameters.iter().map(|parameter| {
            let Parameter {
                name,
                text,
                is_text,
            } = parameter;
            let value = if *is_text {
                json::quoted(text)
            } else {
                text.clone()
            };
            (name.as_str(), value)
        });
        let signature = (SIGNATURE, json::quoted(&self.signature));
        json::object(members.chain([signature]))
    }

    /// The query form: names and values are URL-encoded, and the signature comes last (§5.3).
    pub fn query(&self) -> String {
        let pairs = self
            .sorted
            .iter()
            .map(|(name, value)| (name.as_str(), value));
        let pairs: Vec<String> = pairs
            .chain([(SIGNATURE, &self.signature)])
            .map(|(name, value)| format!("{}={}", url_encode(name), url_encode(value)))
            .collect();
        pairs.join("&")
    }
}
