//! The signature of file management (§5.2), and the URLs that carry it (§5.4).

use std::collections::BTreeMap;

use super::sha1::hmac_sha1;
use super::text::{base64, hex, path_encode, url_encode};
use crate::refusal::{refuse, Refusal};

const BLANKS: [char; 2] = [' ', '\t'];

/// Headers in the order of the request: names in lower case, values as they are signed.
pub struct Headers(Vec<(String, String)>);

impl Headers {
    /// Refuses what HTTP cannot send; blanks around the colon are part of neither name nor value.
    pub fn new(headers: &[(String, String)]) -> Result<Self, Refusal> {
        headers
            .iter()
            .map(|(name, value)| {
                let name = name.trim_end_matches(BLANKS);
                if !is_token(name) {
                    let message = format!("header name {name:?} is not a token (RFC 9110 §5.6.2)");
                    return refuse("header-name", message);
                }
                Ok((name.to_ascii_lowercase(), field_value(name, value)?))
            })
            .collect::<Result<_, _>>()
            .map(Headers)
    }

    /// All values of a header, by its name in lower case.
    pub fn values(&self, name: &str) -> Vec<&str> {
        let named = self.0.iter().filter(|(known, _)| known == name);
        named.map(|(_, value)| value.as_str()).collect()
    }

    /// The value of a positional header, of which there is one at most.
    pub fn positional(&self, name: &str) -> Result<Option<&str>, Refusal> {
        only(name, &self.values(name))
    }

    /// `CanonicalizedSvcHeaders` (§5.2).
    fn canonical(&self, prefix: &str) -> String {
        let prefix = prefix.to_ascii_lowercase();
        let mut extra: BTreeMap<&str, Vec<&str>> = BTreeMap::new(); // step 2
        for (name, value) in self.0.iter().filter(|(name, _)| name.starts_with(&prefix)) {
            extra.entry(name).or_default().push(value);
        }
        extra
            .iter()
            .map(|(name, values)| format!("{name}:{}\n", values.join(","))) // steps 3, 6
            .collect()
    }
}

/// The one value there is of a header or of a form field.
pub fn only<'a>(name: &str, values: &[&'a str]) -> Result<Option<&'a str>, Refusal> {
    if values.len() > 1 {
        let message = format!(
            "{name} is there {} times; §5.2 signs one value",
            values.len()
        );
        return refuse("header-repeated", message);
    }
    Ok(values.first().copied())
}

/// A value without the blanks around it, its folds each a single space (§5.2 steps 4, 5).
pub fn field_value(name: &str, value: &str) -> Result<String, Refusal> {
    let mut lines = value.split('\n').peekable();
    let mut is_sound = true;
    let mut pieces = Vec::new();
    let mut is_first = true;
    while let Some(line) = lines.next() {
        // A line that goes on with the value starts with a blank; one that another follows may end in CR.
        is_sound &= is_first || line.starts_with(BLANKS);
        let line = match lines.peek() {
            Some(_) => line.strip_suffix('\r').unwrap_or(line),
            None => line,
        };
        is_sound &= !line.contains(['\r', '\0']);
        pieces.push(line.trim_matches(BLANKS));
        is_first = false;
    }
    if !is_sound {
        let message = format!("the value of {name} has a line end that folds nothing, or a NUL");
        return refuse("header-value", message);
    }
    pieces.retain(|piece| !piece.is_empty());
    Ok(pieces.join(" "))
}

fn is_token(text: &str) -> bool {
    let is_inside = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    !text.is_empty() && text.bytes().all(is_inside)
}

/// The three lines of §5.2 that hold a value alone.
#[derive(Default)]
pub struct Positions<'a> {
    pub content_md5: &'a str,
    pub content_type: &'a str,
    /// Or `Expires` (§5.4).
    pub date: &'a str,
}

impl<'a> Positions<'a> {
    pub fn of(headers: &'a Headers) -> Result<Self, Refusal> {
        Ok(Positions {
            content_md5: headers.positional("content-md5")?.unwrap_or_default(),
            content_type: headers.positional("content-type")?.unwrap_or_default(),
            date: headers.positional("date")?.unwrap_or_default(),
        })
    }
}

/// What a request on a file is about.
pub struct Target<'a> {
    pub method: &'a str,
    pub bucket: &'a str,
    pub key: &'a str,
}

pub struct FileSignature {
    pub canonical_headers: String,
    pub canonical_resource: String,
    pub string_to_sign: String,
    pub digest: String,
    pub signature: String,
}

/// Signs a request; `policy` is the text that follows the resource, empty where there is none.
pub fn sign(
    target: &Target,
    positions: &Positions,
    (headers, prefix): (&Headers, &str),
    policy: &str,
    private_key: &str,
) -> Result<FileSignature, Refusal> {
    let Target {
        method,
        bucket,
        key,
    } = target;
    if !is_token(method) {
        return refuse(
            "method",
            format!("{method:?} is no verb that HTTP can send"),
        );
    }
    if bucket.is_empty() || bucket.contains('/') {
        return refuse("bucket", format!("bucket {bucket:?} makes no host (§4.3)"));
    }
    let method = method.to_ascii_uppercase();
    let Positions {
        content_md5,
        content_type,
        date,
    } = positions;
    let canonical_headers = headers.canonical(prefix);
    let canonical_resource = format!("/{bucket}/{key}");
    let string_to_sign = format!(
        "{method}\n{content_md5}\n{content_type}\n{date}\n{canonical_headers}{canonical_resource}{policy}"
    );
    let digest = hmac_sha1(private_key.as_bytes(), string_to_sign.as_bytes());
    Ok(FileSignature {
        canonical_headers,
        canonical_resource,
        string_to_sign,
        digest: hex(&digest),
        signature: base64(&digest),
    })
}

/// Where a pre-signed URL leads, and in whose name.
pub struct Link<'a> {
    pub scheme: &'a str,
    pub file_host: &'a str,
    pub public_key_parameter: &'a str,
    pub public_key: &'a str,
}

/// The URL that carries a signature (§5.4).
pub fn presigned_url(link: &Link, target: &Target, expires: &str, signature: &str) -> String {
    format!(
        "{}://{}.{}/{}?{}={}&Expires={}&Signature={}",
        link.scheme,
        target.bucket,
        link.file_host,
        path_encode(target.key),
        url_encode(link.public_key_parameter),
        url_encode(link.public_key),
        url_encode(expires),
        url_encode(signature),
    )
}
