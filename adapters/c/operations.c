#include "operations.h"

#include "encoding.h"
#include "signing.h"

const char *const KIT_NAME = "c", *const KIT_VERSION = "1";

static void result(kit_question *q, const char *stage, kit_text value) {
    kit_add_line(&q->answer, KIT_JOINED(q->by.memory, KIT_TEXT("result."), kit_from_c(stage)), value);
}

static void trace(kit_question *q, const char *stage, kit_text value) {
    kit_add_line(&q->answer, KIT_JOINED(q->by.memory, KIT_TEXT("trace."), kit_from_c(stage)), value);
}

static kit_text number_text(kit_question *q, size_t number) {
    kit_buffer digits = {.memory = q->by.memory};
    kit_add_number(&digits, number);
    return kit_all_of(&digits);
}

static void trace_file_stages(kit_question *q, file_stages of) {
    trace(q, "canonicalHeaders", of.canonical_headers);
    trace(q, "canonicalResource", of.canonical_resource);
    trace(q, "stringToSign", of.string_to_sign);
    trace(q, "digest", of.digest);
    trace(q, "signature", of.signature);
}

static void trace_action_stages(kit_question *q, action_stages of) {
    const kit_text list = KIT_TEXT("trace.sortedParameters");
    kit_arena *memory = q->by.memory;
    kit_add_line(&q->answer, list, number_text(q, of.count));
    for (size_t i = 0; i < of.count; i++) {
        kit_text element = KIT_JOINED(memory, list, KIT_TEXT("."), number_text(q, i));
        kit_add_line(&q->answer, KIT_JOINED(memory, element, KIT_TEXT(".0")), of.sorted[i].name);
        kit_add_line(&q->answer, KIT_JOINED(memory, element, KIT_TEXT(".1")), of.sorted[i].value);
    }
    trace(q, "stringToSign", of.string_to_sign);
}

static bool ask_parameters(kit_question *q, kit_parameters *to) {
    return kit_parameters_at(q->asked, "input.parameters", to) || kit_broken(&q->by, "the parameters nest deeper than 500 levels");
}

/* A request without a method is a POST that the operation knows of. */
static kit_file_request asked_request(kit_question *q, bool has_method) {
    return (kit_file_request){
        .method = has_method ? kit_text_at(q->asked, "input.method") : KIT_TEXT(""),
        .bucket = kit_text_at(q->asked, "input.bucket"),
        .key = kit_text_at(q->asked, "input.key"),
        .headers = kit_pairs_at(q->asked, "input.headers"),
    };
}

static bool answer_url_encode(kit_question *q) {
    result(q, "encoded", kit_url_encoded(q->by.memory, kit_text_at(q->asked, "input.text")));
    return true;
}

static bool answer_password(kit_question *q) {
    result(q, "value", password_value(q->by.memory, kit_text_at(q->asked, "input.text")));
    return true;
}

static bool answer_action_signature(kit_question *q) {
    kit_parameters of;
    action_stages stages;
    if (!ask_parameters(q, &of) || !action_signature(&q->by, of, &stages)) return false;
    result(q, "signature", stages.signature);
    trace_action_stages(q, stages);
    return true;
}

typedef bool sender(kit_signer *by, kit_parameters of, action_stages *stages, kit_text *sent);

static bool answer_sender(kit_question *q, sender *send, const char *stage) {
    kit_parameters of;
    action_stages stages;
    kit_text sent;
    if (!ask_parameters(q, &of) || !send(&q->by, of, &stages, &sent)) return false;
    result(q, stage, sent);
    trace_action_stages(q, stages);
    trace(q, "signature", stages.signature);
    return true;
}

static bool answer_action_json(kit_question *q) { return answer_sender(q, action_json, "body"); }

static bool answer_action_query(kit_question *q) { return answer_sender(q, action_query, "query"); }

static bool answer_bucket_request(kit_question *q) { return answer_sender(q, bucket_request, "target"); }

static bool answer_authorization(kit_question *q) {
    file_stages stages;
    kit_text header;
    if (!authorization(&q->by, asked_request(q, true), &stages, &header)) return false;
    result(q, "authorization", header);
    trace_file_stages(q, stages);
    return true;
}

static bool answer_form_authorization(kit_question *q) {
    kit_file_request of = asked_request(q, false);
    kit_pairs fields = kit_pairs_at(q->asked, "input.fields");
    file_stages stages;
    kit_text field;
    if (!form_authorization(&q->by, of, fields, &stages, &field)) return false;
    result(q, "authorization", field);
    trace_file_stages(q, stages);
    return true;
}

static bool answer_policy(kit_question *q) {
    kit_text policy;
    if (!callback_policy(&q->by, kit_pairs_at(q->asked, "input.members"), &policy)) return false;
    result(q, "policy", policy);
    return true;
}

static bool answer_policy_authorization(kit_question *q) {
    kit_file_request of = asked_request(q, true);
    kit_text policy = kit_text_at(q->asked, "input.policy"), header;
    file_stages stages;
    if (!policy_authorization(&q->by, of, policy, &stages, &header)) return false;
    result(q, "authorization", header);
    trace_file_stages(q, stages);
    return true;
}

static bool answer_instant_upload(kit_question *q) {
    kit_file_request of = asked_request(q, false);
    kit_text etag = kit_text_at(q->asked, "input.etag"), size = kit_text_at(q->asked, "input.size"), target, header;
    file_stages stages;
    if (!instant_upload(&q->by, of, etag, size, &stages, &target, &header)) return false;
    result(q, "target", target);
    result(q, "authorization", header);
    trace_file_stages(q, stages);
    return true;
}

static bool answer_presigned_url(kit_question *q) {
    kit_file_request of = asked_request(q, true);
    kit_text expires = kit_text_at(q->asked, "input.expires"), scheme = kit_text_at(q->asked, "input.scheme");
    kit_text file_host = kit_text_at(q->asked, "input.fileHost"), encoded_signature, url;
    file_stages stages;
    if (!presigned_url(&q->by, of, expires, scheme, file_host, &stages, &encoded_signature, &url)) return false;
    result(q, "url", url);
    trace_file_stages(q, stages);
    trace(q, "encodedSignature", encoded_signature);
    return true;
}

static bool answer_etag(kit_question *q) {
    size_t block_count;
    kit_text digest, etag;
    if (!file_etag(&q->by, kit_content_at(q->asked, "input.content"), &block_count, &digest, &etag)) return false;
    result(q, "etag", etag);
    trace(q, "blockCount", number_text(q, block_count));
    trace(q, "digest", digest);
    return true;
}

static bool answer_part_etag(kit_question *q) {
    kit_text digest, etag;
    if (!part_etag(&q->by, kit_content_at(q->asked, "input.content"), &digest, &etag)) return false;
    result(q, "etag", etag);
    trace(q, "digest", digest);
    return true;
}

/* Whoever passes is the one account there is. */
static void account(kit_question *q) { result(q, "publicKey", q->by.keys.public_key); }

static bool answer_verify_authorization(kit_question *q) {
    file_stages stages;
    if (!verify_authorization(&q->by, asked_request(q, true), &stages)) return false;
    account(q);
    trace_file_stages(q, stages);
    return true;
}

static bool answer_verify_presigned_url(kit_question *q) {
    kit_text method = kit_text_at(q->asked, "input.method"), url = kit_text_at(q->asked, "input.url");
    kit_text file_host = kit_text_at(q->asked, "input.fileHost"), now = kit_text_at(q->asked, "input.now");
    kit_pairs headers = kit_pairs_at(q->asked, "input.headers");
    file_stages stages;
    if (!verify_presigned_url(&q->by, method, url, headers, file_host, now, &stages)) return false;
    account(q);
    trace_file_stages(q, stages);
    return true;
}

static bool answer_verify_action(kit_question *q, bool verified, action_stages stages) {
    if (!verified) return false;
    account(q);
    trace_action_stages(q, stages);
    trace(q, "signature", stages.signature);
    return true;
}

static bool answer_verify_query(kit_question *q) {
    action_stages stages = {.count = 0};
    bool verified = verify_query(&q->by, kit_text_at(q->asked, "input.query"), &stages);
    return answer_verify_action(q, verified, stages);
}

static bool answer_verify_json(kit_question *q) {
    action_stages stages = {.count = 0};
    bool verified = verify_json(&q->by, kit_text_at(q->asked, "input.body"), &stages);
    return answer_verify_action(q, verified, stages);
}

const kit_operation KIT_OPERATIONS[] = {
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
const size_t KIT_OPERATION_COUNT = sizeof KIT_OPERATIONS / sizeof *KIT_OPERATIONS;

const char *const KIT_TRACES[] = {"canonicalHeaders", "canonicalResource", "stringToSign", "digest",
                              "signature", "encodedSignature", "sortedParameters", "blockCount"};
const size_t KIT_TRACE_COUNT = sizeof KIT_TRACES / sizeof *KIT_TRACES;
