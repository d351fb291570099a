//! Stands for an SDK: signs a request by §5.2 and refuses what HTTP cannot carry. It is an untidy
//! one: it prints.

use std::collections::BTreeMap;

use crate::question::Question;
use crate::refusal::{refuse, Failure, Refusal};

const BLANKS: [char; 2] = [' ', '\t'];

/// The standard library has no SHA-1 and no Base64; the kit has.
pub fn authorization(
    question: &Question,
    hmac_sha1: fn(&[u8], &[u8]) -> [u8; 20],
    base64: fn(&[u8]) -> String,
) -> Result<String, Failure> {
    println!("a line of the SDK");
    let (method, bucket) = (question.text("method")?, question.text("bucket")?);
    refuse_if(!is_token(method), "method")?;
    refuse_if(bucket.is_empty() || bucket.contains('/'), "bucket")?;
    let values = values(&question.pairs("headers")?)?;
    let mut text = method.to_uppercase() + "\n";
    for name in ["content-md5", "content-type", "date"] {
        text += &(values.get(name).map_or(String::new(), |all| all.join(",")) + "\n");
    }
    let prefix = question.dialect.header_prefix.to_lowercase();
    for (name, all) in values.iter().filter(|(name, _)| name.starts_with(&prefix)) {
        text += &format!("{name}:{}\n", all.join(","));
    }
    text += &format!("/{bucket}/{}", question.text("key")?);
    let signature = hmac_sha1(question.keys.private_key.as_bytes(), text.as_bytes());
    let (scheme, public_key) = (&question.dialect.scheme, question.keys.public_key);
    Ok(format!("{scheme} {public_key}:{}", base64(&signature)))
}

fn values(headers: &[(String, String)]) -> Result<BTreeMap<String, Vec<String>>, Refusal> {
    let mut values: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (name, value) in headers {
        let (name, value) = (name.trim_matches(BLANKS), unfolded(value));
        refuse_if(!is_token(name), "header-name")?;
        refuse_if(value.contains(['\r', '\n', '\0']), "header-value")?;
        let all = values.entry(name.to_lowercase()).or_default();
        all.push(value.trim_matches(BLANKS).to_owned());
    }
    Ok(values)
}

/// Each fold, with the blanks around it, as one space.
fn unfolded(value: &str) -> String {
    let mut lines = value.split('\n');
    let mut text = lines.next().unwrap_or_default().to_owned();
    for line in lines {
        if line.starts_with(BLANKS) {
            let before = text.strip_suffix('\r').unwrap_or(&text);
            text = format!("{} {}", before.trim_end_matches(BLANKS), line.trim_start_matches(BLANKS));
        } else {
            text = format!("{text}\n{line}");
        }
    }
    text
}

fn is_token(text: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || "!#$%&'*+.^_`|~-".contains(c);
    !text.is_empty() && text.chars().all(is_part)
}

fn refuse_if(condition: bool, reason: &'static str) -> Result<(), Refusal> {
    if condition {
        return refuse(reason, "no");
    }
    Ok(())
}
