/* 5: what a server does with a signed request. */
#include <openssl/crypto.h>
#include <string.h>

#include "encoding.h"
#include "headers.h"

/* A compare that takes as long for a first wrong byte as for a last one. */
static bool is_signature(kit_text computed, kit_text sent) {
    return computed.size == sent.size && CRYPTO_memcmp(computed.at, sent.at, sent.size) == 0;
}

static bool is_account(kit_signer *by, kit_text public_key) {
    return kit_same(public_key, by->keys.public_key) ||
           kit_refuse(by, "public-key-unknown", "the public key is not that of the account");
}

static bool fits(kit_signer *by, kit_text computed, kit_text sent) {
    return is_signature(computed, sent) ||
           kit_refuse(by, "signature-mismatch", "the signature is not the one that the request has with the account's key");
}

/* What an Authorization header says (5.2, callback policy). */
typedef struct {
    kit_text public_key, signature, policy;
} credentials;

static bool malformed_header(kit_signer *by) {
    return kit_refuse(by, "authorization-malformed", "the Authorization header is not scheme, space, public key, colon, signature");
}

static bool read_credentials(kit_signer *by, kit_text header, credentials *to) {
    kit_text start = KIT_JOINED(by->memory, by->words.scheme, KIT_TEXT(" "));
    if (!kit_starts_with(header, start)) return malformed_header(by);
    kit_text rest = kit_between(header, start.size, header.size);
    if (kit_place_of(rest, ' ') != rest.size || kit_place_of(rest, '\t') != rest.size) return malformed_header(by);

    size_t colon = kit_place_of(rest, ':');
    if (colon == rest.size) return malformed_header(by);
    to->public_key = kit_between(rest, 0, colon);
    rest = kit_between(rest, colon + 1, rest.size);
    colon = kit_place_of(rest, ':');
    to->signature = kit_between(rest, 0, colon);
    bool has_policy = colon != rest.size;
    to->policy = has_policy ? kit_between(rest, colon + 1, rest.size) : KIT_TEXT("");
    bool is_whole = to->public_key.size != 0 && to->signature.size != 0 && (!has_policy || to->policy.size != 0);
    return (is_whole && kit_place_of(to->policy, ':') == to->policy.size) || malformed_header(by);
}

static bool is_upload(kit_text method) {
    const kit_text uploads[] = {KIT_TEXT("PUT"), KIT_TEXT("POST")};
    for (size_t i = 0; i < 2; i++) {
        size_t at = 0;
        while (at < method.size && at < uploads[i].size && kit_upper(method.at[at]) == uploads[i].at[at]) at++;
        if (at == method.size && at == uploads[i].size) return true;
    }
    return false;
}

/* Base64 of a JSON object. Without this check, the end of another key passes as a policy. */
static bool is_policy(kit_arena *memory, kit_text of) {
    kit_buffer standard = {.memory = memory};
    kit_text json;
    kit_any_value value;
    for (size_t i = 0; i < of.size; i++) kit_add_char(&standard, of.at[i] == '-' ? '+' : of.at[i] == '_' ? '/' : of.at[i]);
    kit_add_times(&standard, '=', (4 - of.size % 4) % 4);
    return kit_base_64_decoded(memory, kit_all_of(&standard), &json) && kit_is_utf_8(json) && read_json(memory, json, &value) &&
           value.kind == KIT_OBJECT_VALUE;
}

static bool fits_request(kit_signer *by, kit_file_request of, kit_text policy) {
    return policy.size == 0 || (is_upload(of.method) && is_policy(by->memory, policy)) ||
           kit_refuse(by, "authorization-malformed", "a third part is a policy in Base64, and of an upload");
}

bool verify_authorization(kit_signer *by, kit_file_request of, file_stages *stages) {
    kit_pairs headers;
    kit_text header;
    credentials sent;
    if (!sendable_headers(by, of.headers, &headers)) return false;
    switch (values_named(headers, KIT_TEXT("authorization"), &header)) {
        case 0: return kit_refuse(by, "authorization-missing", "the request has no Authorization header");
        case 1: break;
        default: return malformed_header(by);
    }
    return read_credentials(by, header, &sent) && fits_request(by, of, sent.policy) && is_account(by, sent.public_key) &&
           sign_request(by, of, sent.policy, stages) && fits(by, stages->signature, sent.signature);
}

/* The next `name=value` of a query, decoded; false at its end, and with a reason where an escape is bad. */
static bool next_pair(kit_signer *by, kit_text *query, kit_pair *to) {
    while (query->size != 0) {
        size_t end = kit_place_of(*query, '&');
        kit_text one = kit_between(*query, 0, end);
        *query = kit_between(*query, end == query->size ? end : end + 1, query->size);
        if (one.size == 0) continue;
        size_t equals = kit_place_of(one, '=');
        kit_text value = equals == one.size ? KIT_TEXT("") : kit_between(one, equals + 1, one.size);
        if (kit_url_decoded(by->memory, kit_between(one, 0, equals), &to->name) && kit_url_decoded(by->memory, value, &to->value))
            return true;
        return kit_refuse(by, "query-malformed", "the query has an escape that is none, or whose bytes are no UTF-8");
    }
    return false;
}

static bool read_query(kit_signer *by, kit_text query, kit_pairs *to) {
    size_t most = 1;
    for (size_t i = 0; i < query.size; i++) most += query.at[i] == '&';
    *to = (kit_pairs){kit_take(by->memory, most, sizeof(kit_pair)), 0};
    while (next_pair(by, &query, &to->at[to->count])) to->count++;
    return by->reason == NULL;
}

/* The parts of a URL that decide (5.4). */
typedef struct {
    kit_text bucket, key, query;
} url_parts;

static kit_text lower_case(kit_arena *memory, kit_text of) {
    kit_buffer small = {.memory = memory};
    for (size_t i = 0; i < of.size; i++) kit_add_char(&small, kit_lower(of.at[i]));
    return kit_all_of(&small);
}

/* What stands before a dot and the file host, whatever the case of the host. */
static bool bucket_of(kit_arena *memory, kit_text host, kit_text file_host, kit_text *bucket) {
    kit_text end = lower_case(memory, KIT_JOINED(memory, KIT_TEXT("."), file_host));
    if (host.size <= end.size) return false;
    *bucket = kit_between(host, 0, host.size - end.size);
    return kit_same(lower_case(memory, kit_between(host, bucket->size, host.size)), end) &&
           kit_place_of(*bucket, '@') == bucket->size;
}

static bool read_url(kit_signer *by, kit_text url, kit_text file_host, url_parts *to) {
    kit_text scheme = lower_case(by->memory, kit_between(url, 0, kit_place_of(url, ':')));
    bool is_http = kit_same(scheme, KIT_TEXT("http")) || kit_same(scheme, KIT_TEXT("https"));
    kit_text rest = kit_between(url, scheme.size, url.size);
    /* A fragment is never sent, so no server sees one. */
    if (!is_http || !kit_starts_with(rest, KIT_TEXT("://")) || kit_place_of(rest, '#') != rest.size)
        return kit_refuse(by, "url-malformed", "the URL is not http or https, or has a fragment");
    rest = kit_between(rest, 3, rest.size);
    size_t question = kit_place_of(rest, '?');
    kit_text place = kit_between(rest, 0, question);
    to->query = question == rest.size ? KIT_TEXT("") : kit_between(rest, question + 1, rest.size);
    size_t slash = kit_place_of(place, '/');
    if (!bucket_of(by->memory, kit_between(place, 0, slash), file_host, &to->bucket))
        return kit_refuse(by, "url-malformed", "the URL's host is not a bucket, a dot and the file host");
    kit_text path = slash == place.size ? KIT_TEXT("") : kit_between(place, slash + 1, place.size);
    return kit_url_decoded(by->memory, path, &to->key) ||
           kit_refuse(by, "url-malformed", "the path has an escape that is none, or whose bytes are no UTF-8");
}

/* A parameter of a pre-signed URL, which it has once. */
static bool url_parameter(kit_signer *by, kit_pairs query, kit_text name, const char *missing, kit_text *value) {
    *value = KIT_TEXT("");
    size_t count = values_named(query, name, value);
    if (count > 1) return kit_refuse(by, "parameter-repeated", "the URL has one of its three parameters twice");
    return count == 1 || kit_refuse(by, missing, "the URL lacks one of its three parameters");
}

static kit_text without_zeros(kit_text of) {
    while (of.size > 1 && of.at[0] == '0') of = kit_between(of, 1, of.size);
    return of;
}

/* Decimal counts of any length. */
static bool is_more(kit_text a, kit_text b) {
    a = without_zeros(a);
    b = without_zeros(b);
    return a.size != b.size ? a.size > b.size : kit_compare(a, b) > 0;
}

static bool is_in_time(kit_signer *by, kit_text expires, kit_text now) {
    /* The vectors hold that what has more than fifteen digits is no count of seconds. */
    enum { MOST_DIGITS = 15 };
    if (!kit_all_digits(expires) || expires.size > MOST_DIGITS)
        return kit_refuse(by, "expires-malformed", "Expires is not a decimal count of Unix seconds");
    return !is_more(now, expires) || kit_refuse(by, "expired", "the time of the URL has passed");
}

bool verify_presigned_url(kit_signer *by, kit_text method, kit_text url, kit_pairs headers, kit_text file_host,
    kit_text now, file_stages *stages) {
    url_parts parts;
    kit_pairs query;
    kit_text public_key, expires, signature;
    if (!read_url(by, url, file_host, &parts) || !read_query(by, parts.query, &query) ||
        !url_parameter(by, query, KIT_TEXT("Signature"), "signature-missing", &signature) ||
        !url_parameter(by, query, by->words.public_key_parameter, "parameter-missing", &public_key) ||
        !url_parameter(by, query, KIT_TEXT("Expires"), "parameter-missing", &expires))
        return false;
    if (signature.size == 0) return kit_refuse(by, "signature-missing", "the Signature of the URL is empty");
    kit_file_request of = {method, parts.bucket, parts.key, headers};
    return is_in_time(by, expires, now) && is_account(by, public_key) && sign_url(by, of, expires, stages) &&
           fits(by, stages->signature, signature);
}

/* What is signed, and the parameter that is not. */
static bool verify_parameters(kit_signer *by, kit_parameters of, action_stages *stages) {
    kit_text signature = KIT_TEXT("");
    size_t count = 0;
    for (size_t i = 0; i < of.count; i++) {
        if (!kit_same(of.at[i].name, KIT_TEXT("Signature"))) continue;
        if (of.at[i].value.kind == KIT_TEXT_VALUE) signature = of.at[i].value.text;
        count++;
    }
    if (count > 1) return kit_refuse(by, "parameter-repeated", "Signature is there twice");
    if (signature.size == 0) return kit_refuse(by, "signature-missing", "the request has no Signature");
    if (!sort_parameters(by, of, stages)) return false;
    const leaf *public_key = leaf_named(stages, KIT_TEXT("PublicKey"));
    if (public_key == NULL || leaf_named(stages, KIT_TEXT("Action")) == NULL)
        return kit_refuse(by, "parameter-missing", "the request lacks Action or PublicKey");
    return is_account(by, public_key->value) && sign_parameters(by, stages) && fits(by, stages->signature, signature);
}

bool verify_query(kit_signer *by, kit_text query, action_stages *stages) {
    kit_pairs sent;
    if (!read_query(by, query, &sent)) return false;
    kit_parameters of = {kit_take(by->memory, sent.count, sizeof(kit_parameter)), sent.count};
    for (size_t i = 0; i < sent.count; i++)
        of.at[i] = (kit_parameter){sent.at[i].name, {.kind = KIT_TEXT_VALUE, .text = sent.at[i].value}};
    return verify_parameters(by, of, stages);
}

bool verify_json(kit_signer *by, kit_text body, action_stages *stages) {
    kit_any_value sent;
    if (!read_json(by->memory, body, &sent) || sent.kind != KIT_OBJECT_VALUE)
        return kit_refuse(by, "body-malformed", "the body is not one object of JSON, or nests too deep");
    if (verify_parameters(by, sent.items, stages)) return true;
    if (by->reason != NULL && strcmp(by->reason, "parameter-null") == 0) by->reason = "body-malformed";
    return false;
}
