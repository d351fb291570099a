//! What the SDK is asked, by the names of the protocol.
use reqwest::Method;
use serde_json::{Value, json};
use std::error::Error;
use std::future::Future;
use std::pin::pin;
use std::task::{Context, Poll, Waker};
use std::thread::sleep;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use ufile_rus3::AuthorizationService;
use ufile_rus3::api::{
    ApiOperation, GenPrivateUrlOperation, GenPrivateUrlRequestBuilder, ObjectConfig,
    ObjectConfigBuilder, ObjectOptAuthParamBuilder, UfileProtocol,
};

pub enum Outcome {
    Given(Value),
    /// The SDK has no way to take the question.
    Unsupported,
}

type Answer = Result<Outcome, Box<dyn Error>>;

pub const OPERATIONS: [(&str, fn(&Value, &Value) -> Answer); 2] = [
    ("authorization", authorization),
    ("presigned-url", presigned_url),
];

fn text<'a>(input: &'a Value, name: &str) -> &'a str {
    input[name].as_str().unwrap_or_default()
}

/// The SDK takes the values of three headers, and no other header.
fn authorization(input: &Value, keys: &Value) -> Answer {
    let Ok(method) = Method::from_bytes(text(input, "method").as_bytes()) else {
        return Ok(Outcome::Unsupported); // the type of the argument has no such method
    };
    let mut given = ObjectOptAuthParamBuilder::default();
    given
        .method(method)
        .bucket(text(input, "bucket"))
        .key_name(text(input, "key"));
    let mut seen = Vec::new();
    for header in input["headers"].as_array().into_iter().flatten() {
        let (name, value) = (
            header[0].as_str().unwrap_or_default(),
            header[1].as_str().unwrap_or_default(),
        );
        match name {
            _ if seen.contains(&name) => return Ok(Outcome::Unsupported),
            "Content-Type" => given.content_type(value),
            "Content-MD5" => given.content_md5(value),
            "Date" => given.date(value),
            _ => return Ok(Outcome::Unsupported),
        };
        seen.push(name);
    }
    let config = ObjectConfig {
        public_key: text(keys, "publicKey").into(),
        private_key: text(keys, "privateKey").into(),
        ..ObjectConfig::default()
    };
    let signed = AuthorizationService.authorization(given.build()?, config)?;
    Ok(Outcome::Given(json!({"authorization": signed})))
}

/// 2050-01-01: whether an earlier time is still to come would depend on the day of the run.
const FAR: u64 = 2_524_608_000;

/// The SDK takes a number of seconds from now that is not negative, and presigns a GET without headers.
fn presigned_url(input: &Value, keys: &Value) -> Answer {
    let expires = text(input, "expires").parse::<u64>().unwrap_or_default();
    let plain = expires.to_string() == text(input, "expires") && expires >= FAR;
    let bare =
        text(input, "method") == "GET" && input["headers"].as_array().is_some_and(Vec::is_empty);
    let Some((region, suffix)) = text(input, "fileHost").split_once('.') else {
        return Ok(Outcome::Unsupported);
    };
    if !plain || !bare {
        return Ok(Outcome::Unsupported);
    }
    let secure = text(input, "scheme") == "https";
    let config = ObjectConfigBuilder::default()
        .public_key(text(keys, "publicKey"))
        .private_key(text(keys, "privateKey"))
        .region(region)
        .proxy_suffix(suffix)
        .protocol(if secure {
            UfileProtocol::Https
        } else {
            UfileProtocol::Http
        })
        .build()?;
    let request = GenPrivateUrlRequestBuilder::default()
        .bucket_name(text(input, "bucket"))
        .key_name(text(input, "key"))
        .expires(expires - seconds_now()?)
        .build()?;
    let url = ready(GenPrivateUrlOperation::new(config).execute(request))?;
    Ok(Outcome::Given(json!({"url": url})))
}

/// Waits until no tick of the clock comes between here and the SDK.
fn seconds_now() -> Result<u64, Box<dyn Error>> {
    loop {
        let now = SystemTime::now().duration_since(UNIX_EPOCH)?;
        if now.subsec_millis() < 950 {
            return Ok(now.as_secs());
        }
        sleep(Duration::from_millis(10));
    }
}

/// What a future gives that waits for nothing.
fn ready<T>(future: impl Future<Output = T>) -> T {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(given) => given,
        Poll::Pending => panic!("the SDK waits for something"),
    }
}
