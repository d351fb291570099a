//! The server's side: whose request it is, or why it is refused (§5, §7).

use super::actions::{self, SignedAction, SIGNATURE};
use super::files::{self, FileSignature, Headers, Positions, Target};
use super::json::{self, ParseError};
use super::text::{percent_decode, same_signature};
use crate::question::{base64_decoded, Dialect, KeyPair, Value};
use crate::refusal::{refuse, Failure, Refusal};

pub fn authorization(
    target: &Target,
    headers: &Headers,
    dialect: &Dialect,
    keys: &KeyPair,
) -> Result<FileSignature, Refusal> {
    let credentials = match headers.values("authorization")[..] {
        [] => {
            return refuse(
                "authorization-missing",
                "the request has no Authorization header",
            )
        }
        [value] => credentials(value, &dialect.scheme),
        _ => None,
    };
    let Some((public_key, signature, policy)) = credentials else {
        let message = format!(
            "Authorization is not \"{} key:signature\", once (§5.2)",
            dialect.scheme
        );
        return refuse("authorization-malformed", message);
    };
    let is_allowed = policy.is_empty() || is_upload(target.method) && is_policy(policy);
    if !is_allowed {
        let message = "a third part is a policy in Base64, and of an upload";
        return refuse("authorization-malformed", message);
    }
    require_account(public_key, keys)?;
    let positions = Positions::of(headers)?;
    let extra = (headers, dialect.header_prefix.as_str());
    let signed = files::sign(target, &positions, extra, policy, keys.private_key)?;
    require_signature(&signed.signature, signature)?;
    Ok(signed)
}

fn is_upload(method: &str) -> bool {
    method.eq_ignore_ascii_case("PUT") || method.eq_ignore_ascii_case("POST")
}

/// Base64 of a JSON object. Without this check, the end of another key passes as a policy.
fn is_policy(text: &str) -> bool {
    let standard = text.replace('-', "+").replace('_', "/");
    base64_decoded(&standard)
        .and_then(|bytes| String::from_utf8(bytes).ok())
        .is_some_and(|json| matches!(json::parse(&json), Ok(Value::Object(_))))
}

/// Public key, signature and policy; the policy is empty where there is none.
fn credentials<'a>(value: &'a str, scheme: &str) -> Option<(&'a str, &'a str, &'a str)> {
    let credentials = value.strip_prefix(scheme)?.strip_prefix(' ')?;
    let parts: Vec<&str> = credentials.split(':').collect();
    let (public_key, signature, policy) = match parts[..] {
        [public_key, signature] => (public_key, signature, ""),
        [public_key, signature, policy] if !policy.is_empty() => (public_key, signature, policy),
        _ => return None,
    };
    let is_sound = !public_key.is_empty()
        && !public_key.starts_with([' ', '\t'])
        && !signature.is_empty()
        && !credentials[public_key.len()..].contains([' ', '\t']);
    is_sound.then_some((public_key, signature, policy))
}

/// A pre-signed URL and the server that gets it.
pub struct Visit<'a> {
    pub method: &'a str,
    pub url: &'a str,
    pub file_host: &'a str,
    /// Unix seconds.
    pub now: &'a str,
}

pub fn presigned_url(
    visit: &Visit,
    headers: &Headers,
    dialect: &Dialect,
    keys: &KeyPair,
) -> Result<FileSignature, Refusal> {
    let Some((bucket, key, query)) = located(visit.url, visit.file_host) else {
        let message = "the URL does not name a file on a bucket of the file host (§4.3)";
        return refuse("url-malformed", message);
    };
    let parameters = query_parameters(query)?;
    let signature = signature_of(&parameters)?;
    let public_key = required(&parameters, &dialect.public_key_parameter)?;
    let expires = required(&parameters, "Expires")?;
    // The expiry comes before the signature.
    if seconds(expires)? < seconds(visit.now)? {
        return refuse(
            "expired",
            format!("the URL expired at {expires}, and it is {}", visit.now),
        );
    }
    require_account(public_key, keys)?;
    let target = Target {
        method: visit.method,
        bucket,
        key: &key,
    };
    let positions = Positions {
        date: expires,
        ..Positions::default()
    };
    let extra = (headers, dialect.header_prefix.as_str());
    let signed = files::sign(&target, &positions, extra, "", keys.private_key)?;
    require_signature(&signed.signature, signature)?;
    Ok(signed)
}

/// Bucket, key and query of a URL on `<bucket>.{file_host}`.
fn located<'a>(url: &'a str, file_host: &str) -> Option<(&'a str, String, &'a str)> {
    let (scheme, rest) = url.split_once("://")?;
    let is_http = scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https");
    let host_end = rest.find(['/', '?']).unwrap_or(rest.len());
    let (host, rest) = rest.split_at(host_end);
    // Host names have no case (RFC 9110 §4.2.3).
    let bucket_end = host.len().checked_sub(file_host.len() + 1)?;
    let is_ours = host.is_char_boundary(bucket_end)
        && host[bucket_end..].eq_ignore_ascii_case(&format!(".{file_host}"));
    if !is_http || !is_ours || bucket_end == 0 || url.contains('#') {
        return None;
    }
    let (path, query) = rest.split_once('?').unwrap_or((rest, ""));
    let key = percent_decode(path.strip_prefix('/').unwrap_or(path))?;
    Some((&host[..bucket_end], key, query))
}

/// A count of seconds in fifteen digits at most.
fn seconds(text: &str) -> Result<u64, Refusal> {
    let is_count = text.len() <= 15 && text.bytes().all(|byte| byte.is_ascii_digit());
    match text.parse() {
        Ok(seconds) if is_count => Ok(seconds),
        _ => refuse(
            "expires-malformed",
            format!("{text:?} is no count of seconds (§5.4)"),
        ),
    }
}

pub fn query(query: &str, keys: &KeyPair) -> Result<SignedAction, Refusal> {
    let parameters = query_parameters(query)?;
    let signature = signature_of(&parameters)?.to_owned();
    let parameters: Vec<(String, Value)> = parameters
        .into_iter()
        .map(|(name, value)| (name, Value::Text(value)))
        .collect();
    action(&parameters, &signature, keys)
}

pub fn json(body: &str, keys: &KeyPair) -> Result<SignedAction, Failure> {
    let malformed = |message: String| Refusal {
        reason: "body-malformed",
        message,
    };
    let members = match json::parse(body) {
        Ok(Value::Object(members)) => members,
        Ok(_) => return Err(malformed("the body is not one object (§4.2)".into()).into()),
        Err(ParseError::Malformed) => {
            return Err(malformed("the body is no JSON (§4.2)".into()).into())
        }
        Err(ParseError::TooDeep) => return Err(Failure::Broken("the body nests too deep".into())),
    };
    let texts: Vec<(String, String)> = members
        .iter()
        .filter(|(name, _)| name == SIGNATURE)
        .map(|(name, value)| match value {
            Value::Text(text) => (name.clone(), text.clone()),
            _ => (name.clone(), String::new()),
        })
        .collect();
    action(&members, signature_of(&texts)?, keys).map_err(|refusal| match refusal.reason {
        // What has no text to sign is no body to a server.
        "number" | "parameter-null" => malformed(refusal.message).into(),
        _ => refusal.into(),
    })
}

fn action(
    parameters: &[(String, Value)],
    signature: &str,
    keys: &KeyPair,
) -> Result<SignedAction, Refusal> {
    let signed = actions::sign(parameters, keys.private_key)?.require(&["Action", "PublicKey"])?;
    require_account(signed.value("PublicKey").unwrap_or_default(), keys)?;
    require_signature(&signed.signature, signature)?;
    Ok(signed)
}

/// The decoded pairs of a query; a name alone has an empty value.
fn query_parameters(query: &str) -> Result<Vec<(String, String)>, Refusal> {
    query
        .split('&')
        .filter(|piece| !piece.is_empty())
        .map(|piece| {
            let (name, value) = piece.split_once('=').unwrap_or((piece, ""));
            match (percent_decode(name), percent_decode(value)) {
                (Some(name), Some(value)) => Ok((name, value)),
                _ => refuse(
                    "query-malformed",
                    "the query has an escape that is none, or no UTF-8",
                ),
            }
        })
        .collect()
}

fn signature_of(parameters: &[(String, String)]) -> Result<&str, Refusal> {
    match single(parameters, SIGNATURE)? {
        Some(signature) if !signature.is_empty() => Ok(signature),
        _ => refuse("signature-missing", "the request has no Signature"),
    }
}

fn required<'a>(parameters: &'a [(String, String)], name: &str) -> Result<&'a str, Refusal> {
    match single(parameters, name)? {
        Some(value) => Ok(value),
        None => refuse("parameter-missing", format!("the URL has no {name} (§5.4)")),
    }
}

fn single<'a>(parameters: &'a [(String, String)], name: &str) -> Result<Option<&'a str>, Refusal> {
    let mut values = parameters.iter().filter(|(known, _)| known == name);
    let first = values.next();
    if values.next().is_some() {
        return refuse(
            "parameter-repeated",
            format!("{name} is there twice, and one value is signed"),
        );
    }
    Ok(first.map(|(_, value)| value.as_str()))
}

fn require_account(public_key: &str, keys: &KeyPair) -> Result<(), Refusal> {
    if public_key == keys.public_key {
        return Ok(());
    }
    refuse("public-key-unknown", "the public key is that of no account")
}

fn require_signature(computed: &str, sent: &str) -> Result<(), Refusal> {
    if same_signature(computed, sent) {
        return Ok(());
    }
    refuse(
        "signature-mismatch",
        "the signature is not that of the request (§5)",
    )
}
