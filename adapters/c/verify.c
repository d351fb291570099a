/* 5: what a server does with a signed request. */
#include <openssl/crypto.h>
#include <string.h>

#include "encoding.h"
#include "headers.h"

/* A compare that takes as long for a first wrong byte as for a last one. */
static bool is_signature(text computed, text sent) {
    return computed.size == sent.size && CRYPTO_memcmp(computed.at, sent.at, sent.size) == 0;
}

static bool is_account(signer *by, text public_key) {
    return same(public_key, by->keys.public_key) ||
           refuse(by, "public-key-unknown", "the public key is not that of the account");
}

static bool fits(signer *by, text computed, text sent) {
    return is_signature(computed, sent) ||
           refuse(by, "signature-mismatch", "the signature is not the one that the request has with the account's key");
}

/* What an Authorization header says (5.2, callback policy). */
typedef struct {
    text public_key, signature, policy;
} credentials;

static bool malformed_header(signer *by) {
    return refuse(by, "authorization-malformed", "the Authorization header is not scheme, space, public key, colon, signature");
}

static bool read_credentials(signer *by, text header, credentials *to) {
    text start = JOINED(by->memory, by->words.scheme, TEXT(" "));
    if (!starts_with(header, start)) return malformed_header(by);
    text rest = between(header, start.size, header.size);
    if (place_of(rest, ' ') != rest.size || place_of(rest, '\t') != rest.size) return malformed_header(by);

    size_t colon = place_of(rest, ':');
    if (colon == rest.size) return malformed_header(by);
    to->public_key = between(rest, 0, colon);
    rest = between(rest, colon + 1, rest.size);
    colon = place_of(rest, ':');
    to->signature = between(rest, 0, colon);
    bool has_policy = colon != rest.size;
    to->policy = has_policy ? between(rest, colon + 1, rest.size) : TEXT("");
    bool is_whole = to->public_key.size != 0 && to->signature.size != 0 && (!has_policy || to->policy.size != 0);
    return (is_whole && place_of(to->policy, ':') == to->policy.size) || malformed_header(by);
}

bool verify_authorization(signer *by, file_request of, file_stages *stages) {
    pairs headers;
    text header;
    credentials sent;
    if (!sendable_headers(by, of.headers, &headers)) return false;
    switch (values_named(headers, TEXT("authorization"), &header)) {
        case 0: return refuse(by, "authorization-missing", "the request has no Authorization header");
        case 1: break;
        default: return malformed_header(by);
    }
    return read_credentials(by, header, &sent) && is_account(by, sent.public_key) &&
           sign_request(by, of, sent.policy, stages) && fits(by, stages->signature, sent.signature);
}

/* The next `name=value` of a query, decoded; false at its end, and with a reason where an escape is bad. */
static bool next_pair(signer *by, text *query, pair *to) {
    while (query->size != 0) {
        size_t end = place_of(*query, '&');
        text one = between(*query, 0, end);
        *query = between(*query, end == query->size ? end : end + 1, query->size);
        if (one.size == 0) continue;
        size_t equals = place_of(one, '=');
        text value = equals == one.size ? TEXT("") : between(one, equals + 1, one.size);
        if (url_decoded(by->memory, between(one, 0, equals), &to->name) && url_decoded(by->memory, value, &to->value))
            return true;
        return refuse(by, "query-malformed", "the query has an escape that is none, or whose bytes are no UTF-8");
    }
    return false;
}

static bool read_query(signer *by, text query, pairs *to) {
    size_t most = 1;
    for (size_t i = 0; i < query.size; i++) most += query.at[i] == '&';
    *to = (pairs){take(by->memory, most, sizeof(pair)), 0};
    while (next_pair(by, &query, &to->at[to->count])) to->count++;
    return by->reason == NULL;
}

/* The parts of a URL that decide (5.4). */
typedef struct {
    text bucket, key, query;
} url_parts;

static text lower_case(arena *memory, text of) {
    buffer small = {.memory = memory};
    for (size_t i = 0; i < of.size; i++) add_char(&small, lower(of.at[i]));
    return all_of(&small);
}

/* What stands before a dot and the file host, whatever the case of the host. */
static bool bucket_of(arena *memory, text host, text file_host, text *bucket) {
    text end = lower_case(memory, JOINED(memory, TEXT("."), file_host));
    if (host.size <= end.size) return false;
    *bucket = between(host, 0, host.size - end.size);
    return same(lower_case(memory, between(host, bucket->size, host.size)), end) && place_of(*bucket, '@') == bucket->size;
}

static bool read_url(signer *by, text url, text file_host, url_parts *to) {
    text scheme = lower_case(by->memory, between(url, 0, place_of(url, ':')));
    bool is_http = same(scheme, TEXT("http")) || same(scheme, TEXT("https"));
    text rest = between(url, scheme.size, url.size);
    /* A fragment is never sent, so no server sees one. */
    if (!is_http || !starts_with(rest, TEXT("://")) || place_of(rest, '#') != rest.size)
        return refuse(by, "url-malformed", "the URL is not http or https, or has a fragment");
    rest = between(rest, 3, rest.size);
    size_t question = place_of(rest, '?');
    text place = between(rest, 0, question);
    to->query = question == rest.size ? TEXT("") : between(rest, question + 1, rest.size);
    size_t slash = place_of(place, '/');
    if (!bucket_of(by->memory, between(place, 0, slash), file_host, &to->bucket))
        return refuse(by, "url-malformed", "the URL's host is not a bucket, a dot and the file host");
    text path = slash == place.size ? TEXT("") : between(place, slash + 1, place.size);
    return url_decoded(by->memory, path, &to->key) ||
           refuse(by, "url-malformed", "the path has an escape that is none, or whose bytes are no UTF-8");
}

/* A parameter of a pre-signed URL, which it has once. */
static bool url_parameter(signer *by, pairs query, text name, const char *missing, text *value) {
    *value = TEXT("");
    size_t count = values_named(query, name, value);
    if (count > 1) return refuse(by, "parameter-repeated", "the URL has one of its three parameters twice");
    return count == 1 || refuse(by, missing, "the URL lacks one of its three parameters");
}

static text without_zeros(text of) {
    while (of.size > 1 && of.at[0] == '0') of = between(of, 1, of.size);
    return of;
}

/* Decimal counts of any length. */
static bool is_more(text a, text b) {
    a = without_zeros(a);
    b = without_zeros(b);
    return a.size != b.size ? a.size > b.size : compare(a, b) > 0;
}

static bool is_in_time(signer *by, text expires, text now) {
    /* The vectors hold that what has more than fifteen digits is no count of seconds. */
    enum { MOST_DIGITS = 15 };
    if (!all_digits(expires) || expires.size > MOST_DIGITS)
        return refuse(by, "expires-malformed", "Expires is not a decimal count of Unix seconds");
    return !is_more(now, expires) || refuse(by, "expired", "the time of the URL has passed");
}

bool verify_presigned_url(signer *by, text method, text url, pairs headers, text file_host, text now, file_stages *stages) {
    url_parts parts;
    pairs query;
    text public_key, expires, signature;
    if (!read_url(by, url, file_host, &parts) || !read_query(by, parts.query, &query) ||
        !url_parameter(by, query, TEXT("Signature"), "signature-missing", &signature) ||
        !url_parameter(by, query, by->words.public_key_parameter, "parameter-missing", &public_key) ||
        !url_parameter(by, query, TEXT("Expires"), "parameter-missing", &expires))
        return false;
    if (signature.size == 0) return refuse(by, "signature-missing", "the Signature of the URL is empty");
    file_request of = {method, parts.bucket, parts.key, headers};
    return is_in_time(by, expires, now) && is_account(by, public_key) && sign_url(by, of, expires, stages) &&
           fits(by, stages->signature, signature);
}

/* What is signed, and the parameter that is not. */
static bool verify_parameters(signer *by, parameters of, action_stages *stages) {
    text signature = TEXT("");
    size_t count = 0;
    for (size_t i = 0; i < of.count; i++) {
        if (!same(of.at[i].name, TEXT("Signature"))) continue;
        if (of.at[i].value.kind == TEXT_VALUE) signature = of.at[i].value.text;
        count++;
    }
    if (count > 1) return refuse(by, "parameter-repeated", "Signature is there twice");
    if (signature.size == 0) return refuse(by, "signature-missing", "the request has no Signature");
    if (!sort_parameters(by, of, stages)) return false;
    const leaf *public_key = leaf_named(stages, TEXT("PublicKey"));
    if (public_key == NULL || leaf_named(stages, TEXT("Action")) == NULL)
        return refuse(by, "parameter-missing", "the request lacks Action or PublicKey");
    return is_account(by, public_key->value) && sign_parameters(by, stages) && fits(by, stages->signature, signature);
}

bool verify_query(signer *by, text query, action_stages *stages) {
    pairs sent;
    if (!read_query(by, query, &sent)) return false;
    parameters of = {take(by->memory, sent.count, sizeof(parameter)), sent.count};
    for (size_t i = 0; i < sent.count; i++)
        of.at[i] = (parameter){sent.at[i].name, {.kind = TEXT_VALUE, .text = sent.at[i].value}};
    return verify_parameters(by, of, stages);
}

bool verify_json(signer *by, text body, action_stages *stages) {
    any_value sent;
    if (!read_json(by->memory, body, &sent) || sent.kind != OBJECT_VALUE)
        return refuse(by, "body-malformed", "the body is not one object of JSON, or nests too deep");
    if (verify_parameters(by, sent.items, stages)) return true;
    if (by->reason != NULL && strcmp(by->reason, "parameter-null") == 0) by->reason = "body-malformed";
    return false;
}
