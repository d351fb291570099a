//! What the adapter offers, a function for each operation: replace them by calls to your own SDK,
//! and leave out of `OPERATIONS` what it lacks. Below `operations/` is the implementation, which
//! goes as well.

mod actions;
mod etag;
mod files;
mod json;
mod number;
mod sha1;
mod text;
mod verify;

use crate::question::{unreadable, Answer, Question, Stage};
use crate::refusal::{Failure, Refusal};
use actions::SignedAction;
use files::{FileSignature, Headers, Link, Positions, Target};
use text::{base64, base64_url_safe, hex, url_encode};
use verify::Visit;

pub const NAME: &str = "svc-conformance-rust";
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

pub const TRACES: &[&str] = &[
    "blockCount",
    "canonicalHeaders",
    "canonicalResource",
    "digest",
    "encodedSignature",
    "signature",
    "sortedParameters",
    "stringToSign",
];

pub type Operation = fn(&Question) -> Result<Answer, Failure>;

pub const OPERATIONS: &[(&str, Operation)] = &[
    ("url-encode", url_encoded),
    ("password", password),
    ("action-signature", action_signature),
    ("action-json", action_json),
    ("action-query", action_query),
    ("bucket-request", bucket_request),
    ("authorization", authorization),
    ("form-authorization", form_authorization),
    ("policy", policy),
    ("policy-authorization", policy_authorization),
    ("instant-upload", instant_upload),
    ("presigned-url", presigned_url),
    ("etag", file_etag),
    ("part-etag", part_etag),
    ("verify-authorization", verify_authorization),
    ("verify-presigned-url", verify_presigned_url),
    ("verify-query", verify_query),
    ("verify-json", verify_json),
];

fn url_encoded(question: &Question) -> Result<Answer, Failure> {
    Ok(untraced("encoded", url_encode(question.text("text")?)))
}

fn password(question: &Question) -> Result<Answer, Failure> {
    Ok(untraced("value", base64(question.text("text")?.as_bytes())))
}

fn action_signature(question: &Question) -> Result<Answer, Failure> {
    let signed = signed_action(question)?;
    Ok(action_answer("signature", signed.signature.clone(), signed))
}

fn action_json(question: &Question) -> Result<Answer, Failure> {
    let signed = signed_action(question)?.require(&["Action", "PublicKey"])?;
    Ok(action_answer("body", signed.body(), signed))
}

fn action_query(question: &Question) -> Result<Answer, Failure> {
    let signed = signed_action(question)?.require(&["Action", "PublicKey"])?;
    Ok(action_answer("query", signed.query(), signed))
}

fn bucket_request(question: &Question) -> Result<Answer, Failure> {
    let mut signed = signed_action(question)?.require(&["Action", "PublicKey"])?;
    if signed.value("Action") == Some("CreateBucket") {
        signed = signed.require(&["Type", "BucketName"])?;
    }
    Ok(action_answer(
        "target",
        format!("/?{}", signed.query()),
        signed,
    ))
}

fn authorization(question: &Question) -> Result<Answer, Failure> {
    let headers = headers(question)?;
    let positions = Positions::of(&headers)?;
    let signed = sign(question, &target(question)?, &positions, &headers, "")?;
    let authorization = credentials(question, &signed.signature);
    Ok(file_answer(vec![("authorization", authorization)], signed))
}

fn form_authorization(question: &Question) -> Result<Answer, Failure> {
    let headers = headers(question)?;
    let fields = question.pairs("fields")?;
    // Names of fields have a case, unlike those of headers.
    let field = |name: &str| -> Result<String, Refusal> {
        let named = fields.iter().filter(|(known, _)| known == name);
        let values: Vec<&str> = named.map(|(_, value)| value.as_str()).collect();
        let value = files::only(name, &values)?;
        files::field_value(name, value.unwrap_or_default())
    };
    let content_md5 = match headers.positional("content-md5")? {
        Some(value) => value.to_owned(),
        None => field("Content-MD5")?,
    };
    let positions = Positions {
        content_md5: &content_md5,
        content_type: &field("Content-Type")?,
        date: headers.positional("date")?.unwrap_or_default(),
    };
    let target = Target {
        method: "POST",
        bucket: question.text("bucket")?,
        key: question.text("key")?,
    };
    let signed = sign(question, &target, &positions, &headers, "")?;
    let authorization = credentials(question, &signed.signature);
    Ok(file_answer(vec![("authorization", authorization)], signed))
}

fn policy(question: &Question) -> Result<Answer, Failure> {
    let members = question.pairs("members")?;
    let members = members
        .iter()
        .map(|(name, value)| (name.as_str(), json::quoted(value)));
    let policy = base64_url_safe(json::object(members).as_bytes());
    Ok(untraced("policy", policy))
}

fn policy_authorization(question: &Question) -> Result<Answer, Failure> {
    let headers = headers(question)?;
    let positions = Positions::of(&headers)?;
    let policy = question.text("policy")?;
    let signed = sign(question, &target(question)?, &positions, &headers, policy)?;
    let authorization = format!("{}:{policy}", credentials(question, &signed.signature));
    Ok(file_answer(vec![("authorization", authorization)], signed))
}

fn instant_upload(question: &Question) -> Result<Answer, Failure> {
    let headers = headers(question)?;
    let positions = Positions::of(&headers)?;
    let key = question.text("key")?;
    let upload = Target {
        method: "POST",
        bucket: question.text("bucket")?,
        key,
    };
    let signed = sign(question, &upload, &positions, &headers, "")?;
    let target = format!(
        "/uploadhit?Hash={}&FileName={}&FileSize={}",
        url_encode(question.text("etag")?),
        url_encode(key),
        url_encode(question.text("size")?),
    );
    let authorization = credentials(question, &signed.signature);
    let result = vec![("target", target), ("authorization", authorization)];
    Ok(file_answer(result, signed))
}

fn presigned_url(question: &Question) -> Result<Answer, Failure> {
    let target = target(question)?;
    let expires = question.text("expires")?;
    let positions = Positions {
        date: expires,
        ..Positions::default()
    };
    let signed = sign(question, &target, &positions, &headers(question)?, "")?;
    let link = Link {
        scheme: question.text("scheme")?,
        file_host: question.text("fileHost")?,
        public_key_parameter: &question.dialect.public_key_parameter,
        public_key: question.keys.public_key,
    };
    let url = files::presigned_url(&link, &target, expires, &signed.signature);
    let encoded = Stage::Text(url_encode(&signed.signature));
    let mut answer = file_answer(vec![("url", url)], signed);
    answer.trace.push(("encodedSignature", encoded));
    Ok(answer)
}

fn file_etag(question: &Question) -> Result<Answer, Failure> {
    let etag = etag::etag(&mut question.content()?).map_err(|error| unreadable(&error))?;
    Ok(Answer {
        result: vec![("etag", etag.etag)],
        trace: vec![
            ("blockCount", Stage::Text(etag.block_count.to_string())),
            ("digest", Stage::Text(hex(&etag.digest))),
        ],
    })
}

fn part_etag(question: &Question) -> Result<Answer, Failure> {
    let (digest, etag) =
        etag::part_etag(&mut question.content()?).map_err(|error| unreadable(&error))?;
    Ok(Answer {
        result: vec![("etag", etag)],
        trace: vec![("digest", Stage::Text(hex(&digest)))],
    })
}

fn verify_authorization(question: &Question) -> Result<Answer, Failure> {
    let (target, headers) = (target(question)?, headers(question)?);
    let signed = verify::authorization(&target, &headers, question.dialect, &question.keys)?;
    Ok(file_answer(whose(question), signed))
}

fn verify_presigned_url(question: &Question) -> Result<Answer, Failure> {
    let visit = Visit {
        method: question.text("method")?,
        url: question.text("url")?,
        file_host: question.text("fileHost")?,
        now: question.text("now")?,
    };
    let headers = headers(question)?;
    let signed = verify::presigned_url(&visit, &headers, question.dialect, &question.keys)?;
    Ok(file_answer(whose(question), signed))
}

fn verify_query(question: &Question) -> Result<Answer, Failure> {
    let signed = verify::query(question.text("query")?, &question.keys)?;
    Ok(action_answer(
        "publicKey",
        question.keys.public_key.to_owned(),
        signed,
    ))
}

fn verify_json(question: &Question) -> Result<Answer, Failure> {
    let signed = verify::json(question.text("body")?, &question.keys)?;
    Ok(action_answer(
        "publicKey",
        question.keys.public_key.to_owned(),
        signed,
    ))
}

fn headers(question: &Question) -> Result<Headers, Failure> {
    Ok(Headers::new(&question.pairs("headers")?)?)
}

fn target<'a>(question: &Question<'a>) -> Result<Target<'a>, Failure> {
    Ok(Target {
        method: question.text("method")?,
        bucket: question.text("bucket")?,
        key: question.text("key")?,
    })
}

fn sign(
    question: &Question,
    target: &Target,
    positions: &Positions,
    headers: &Headers,
    policy: &str,
) -> Result<FileSignature, Refusal> {
    let extra = (headers, question.dialect.header_prefix.as_str());
    files::sign(target, positions, extra, policy, question.keys.private_key)
}

fn credentials(question: &Question, signature: &str) -> String {
    format!(
        "{} {}:{signature}",
        question.dialect.scheme, question.keys.public_key
    )
}

fn whose(question: &Question) -> Vec<(&'static str, String)> {
    vec![("publicKey", question.keys.public_key.to_owned())]
}

fn untraced(stage: &'static str, text: String) -> Answer {
    Answer {
        result: vec![(stage, text)],
        trace: vec![],
    }
}

fn action_answer(stage: &'static str, text: String, signed: SignedAction) -> Answer {
    Answer {
        result: vec![(stage, text)],
        trace: vec![
            ("sortedParameters", Stage::Pairs(signed.sorted)),
            ("stringToSign", Stage::Text(signed.string_to_sign)),
            ("signature", Stage::Text(signed.signature)),
        ],
    }
}

fn file_answer(result: Vec<(&'static str, String)>, signed: FileSignature) -> Answer {
    let stages = [
        ("canonicalHeaders", signed.canonical_headers),
        ("canonicalResource", signed.canonical_resource),
        ("stringToSign", signed.string_to_sign),
        ("digest", signed.digest),
        ("signature", signed.signature),
    ];
    let trace = stages.map(|(stage, text)| (stage, Stage::Text(text)));
    Answer {
        result,
        trace: trace.into(),
    }
}

fn signed_action(question: &Question) -> Result<SignedAction, Failure> {
    Ok(actions::sign(
        &question.parameters()?,
        question.keys.private_key,
    )?)
}
