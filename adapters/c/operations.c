#include "operations.h"

#include "encoding.h"
#include "signing.h"

const char *const NAME = "c", *const VERSION = "1";

static void result(question *q, const char *stage, text value) {
    add_line(&q->answer, JOINED(q->by.memory, TEXT("result."), from_c(stage)), value);
}

static void trace(question *q, const char *stage, text value) {
    add_line(&q->answer, JOINED(q->by.memory, TEXT("trace."), from_c(stage)), value);
}

static text number_text(question *q, size_t number) {
    buffer digits = {.memory = q->by.memory};
    add_number(&digits, number);
    return all_of(&digits);
}

static void trace_file_stages(question *q, file_stages of) {
    trace(q, "canonicalHeaders", of.canonical_headers);
    trace(q, "canonicalResource", of.canonical_resource);
    trace(q, "stringToSign", of.string_to_sign);
    trace(q, "digest", of.digest);
    trace(q, "signature", of.signature);
}

static void trace_action_stages(question *q, action_stages of) {
    const text list = TEXT("trace.sortedParameters");
    arena *memory = q->by.memory;
    add_line(&q->answer, list, number_text(q, of.count));
    for (size_t i = 0; i < of.count; i++) {
        text element = JOINED(memory, list, TEXT("."), number_text(q, i));
        add_line(&q->answer, JOINED(memory, element, TEXT(".0")), of.sorted[i].name);
        add_line(&q->answer, JOINED(memory, element, TEXT(".1")), of.sorted[i].value);
    }
    trace(q, "stringToSign", of.string_to_sign);
}

static bool ask_parameters(question *q, parameters *to) {
    return parameters_at(q->asked, "input.parameters", to) || broken(&q->by, "the parameters nest deeper than 500 levels");
}

/* A request without a method is a POST that the operation knows of. */
static file_request asked_request(question *q, bool has_method) {
    return (file_request){
        .method = has_method ? text_at(q->asked, "input.method") : TEXT(""),
        .bucket = text_at(q->asked, "input.bucket"),
        .key = text_at(q->asked, "input.key"),
        .headers = pairs_at(q->asked, "input.headers"),
    };
}

static bool answer_url_encode(question *q) {
    result(q, "encoded", url_encoded(q->by.memory, text_at(q->asked, "input.text")));
    return true;
}

static bool answer_password(question *q) {
    result(q, "value", password_value(q->by.memory, text_at(q->asked, "input.text")));
    return true;
}

static bool answer_action_signature(question *q) {
    parameters of;
    action_stages stages;
    if (!ask_parameters(q, &of) || !action_signature(&q->by, of, &stages)) return false;
    result(q, "signature", stages.signature);
    trace_action_stages(q, stages);
    return true;
}

typedef bool sender(signer *by, parameters of, action_stages *stages, text *sent);

static bool answer_sender(question *q, sender *send, const char *stage) {
    parameters of;
    action_stages stages;
    text sent;
    if (!ask_parameters(q, &of) || !send(&q->by, of, &stages, &sent)) return false;
    result(q, stage, sent);
    trace_action_stages(q, stages);
    trace(q, "signature", stages.signature);
    return true;
}

static bool answer_action_json(question *q) { return answer_sender(q, action_json, "body"); }

static bool answer_action_query(question *q) { return answer_sender(q, action_query, "query"); }

static bool answer_bucket_request(question *q) { return answer_sender(q, bucket_request, "target"); }

static bool answer_authorization(question *q) {
    file_stages stages;
    text header;
    if (!authorization(&q->by, asked_request(q, true), &stages, &header)) return false;
    result(q, "authorization", header);
    trace_file_stages(q, stages);
    return true;
}

static bool answer_form_authorization(question *q) {
    file_request of = asked_request(q, false);
    pairs fields = pairs_at(q->asked, "input.fields");
    file_stages stages;
    text field;
    if (!form_authorization(&q->by, of, fields, &stages, &field)) return false;
    result(q, "authorization", field);
    trace_file_stages(q, stages);
    return true;
}

static bool answer_policy(question *q) {
    text policy;
    if (!callback_policy(&q->by, pairs_at(q->asked, "input.members"), &policy)) return false;
    result(q, "policy", policy);
    return true;
}

static bool answer_policy_authorization(question *q) {
    file_request of = asked_request(q, true);
    text policy = text_at(q->asked, "input.policy"), header;
    file_stages stages;
    if (!policy_authorization(&q->by, of, policy, &stages, &header)) return false;
    result(q, "authorization", header);
    trace_file_stages(q, stages);
    return true;
}

static bool answer_instant_upload(question *q) {
    file_request of = asked_request(q, false);
    text etag = text_at(q->asked, "input.etag"), size = text_at(q->asked, "input.size"), target, header;
    file_stages stages;
    if (!instant_upload(&q->by, of, etag, size, &stages, &target, &header)) return false;
    result(q, "target", target);
    result(q, "authorization", header);
    trace_file_stages(q, stages);
    return true;
}

static bool answer_presigned_url(question *q) {
    file_request of = asked_request(q, true);
    text expires = text_at(q->asked, "input.expires"), scheme = text_at(q->asked, "input.scheme");
    text file_host = text_at(q->asked, "input.fileHost"), encoded_signature, url;
    file_stages stages;
    if (!presigned_url(&q->by, of, expires, scheme, file_host, &stages, &encoded_signature, &url)) return false;
    result(q, "url", url);
    trace_file_stages(q, stages);
    trace(q, "encodedSignature", encoded_signature);
    return true;
}

static bool answer_etag(question *q) {
    size_t block_count;
    text digest, etag;
    if (!file_etag(&q->by, content_at(q->asked, "input.content"), &block_count, &digest, &etag)) return false;
    result(q, "etag", etag);
    trace(q, "blockCount", number_text(q, block_count));
    trace(q, "digest", digest);
    return true;
}

static bool answer_part_etag(question *q) {
    text digest, etag;
    if (!part_etag(&q->by, content_at(q->asked, "input.content"), &digest, &etag)) return false;
    result(q, "etag", etag);
    trace(q, "digest", digest);
    return true;
}

/* Whoever passes is the one account there is. */
static void account(question *q) { result(q, "publicKey", q->by.keys.public_key); }

static bool answer_verify_authorization(question *q) {
    file_stages stages;
    if (!verify_authorization(&q->by, asked_request(q, true), &stages)) return false;
    account(q);
    trace_file_stages(q, stages);
    return true;
}

static bool answer_verify_presigned_url(question *q) {
    text method = text_at(q->asked, "input.method"), url = text_at(q->asked, "input.url");
    text file_host = text_at(q->asked, "input.fileHost"), now = text_at(q->asked, "input.now");
    pairs headers = pairs_at(q->asked, "input.headers");
    file_stages stages;
    if (!verify_presigned_url(&q->by, method, url, headers, file_host, now, &stages)) return false;
    account(q);
    trace_file_stages(q, stages);
    return true;
}

static bool answer_verify_action(question *q, bool verified, action_stages stages) {
    if (!verified) return false;
    account(q);
    trace_action_stages(q, stages);
    trace(q, "signature", stages.signature);
    return true;
}

static bool answer_verify_query(question *q) {
    action_stages stages = {.count = 0};
    bool verified = verify_query(&q->by, text_at(q->asked, "input.query"), &stages);
    return answer_verify_action(q, verified, stages);
}

static bool answer_verify_json(question *q) {
    action_stages stages = {.count = 0};
    bool verified = verify_json(&q->by, text_at(q->asked, "input.body"), &stages);
    return answer_verify_action(q, verified, stages);
}

const operation OPERATIONS[] = {
    {"url-encode", answer_url_encode},
    {"password", answer_password},
    {"action-signature", answer_action_signature},
    {"action-json", answer_action_json},
    {"action-query", answer_action_query},
    {"bucket-request", answer_bucket_request},
    {"authorization", answer_authorization},
    {"form-authorization", answer_form_authorization},
    {"policy", answer_policy},
    {"policy-authorization", answer_policy_authorization},
    {"instant-upload", answer_instant_upload},
    {"presigned-url", answer_presigned_url},
    {"etag", answer_etag},
    {"part-etag", answer_part_etag},
    {"verify-authorization", answer_verify_authorization},
    {"verify-presigned-url", answer_verify_presigned_url},
    {"verify-query", answer_verify_query},
    {"verify-json", answer_verify_json},
};
const size_t OPERATION_COUNT = sizeof OPERATIONS / sizeof *OPERATIONS;

const char *const TRACES[] = {"canonicalHeaders", "canonicalResource", "stringToSign", "digest",
                              "signature", "encodedSignature", "sortedParameters", "blockCount"};
const size_t TRACE_COUNT = sizeof TRACES / sizeof *TRACES;
