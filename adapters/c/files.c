/* Requests for files: 4.3, 5.2, 5.4, and the callback policy. */
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include "encoding.h"
#include "headers.h"

/* What stands between the verb and the extra headers. */
typedef struct {
    text content_md5, content_type, date;
} positions;

/* What all forms of signing need of a request: sendable headers, a verb in upper case. */
typedef struct {
    text verb;
    pairs headers;
} checked_request;

static bool check_request(signer *by, file_request of, checked_request *to) {
    if (!is_token(of.method)) return refuse(by, "method", "the verb is not a token; HTTP cannot send it");
    if (of.bucket.size == 0 || place_of(of.bucket, '/') != of.bucket.size)
        return refuse(by, "bucket", "the bucket's name is empty or has a slash; no host has it (section 4.3)");
    buffer verb = {.memory = by->memory};
    for (size_t i = 0; i < of.method.size; i++) add_char(&verb, upper(of.method.at[i]));
    to->verb = all_of(&verb);
    return sendable_headers(by, of.headers, &to->headers);
}

/* The value that a name has once or not at all. */
static bool single_value(signer *by, pairs in, text name, text *value) {
    *value = TEXT("");
    return values_named(in, name, value) <= 1 ||
           refuse(by, "header-repeated", "a header or field is there twice; section 5.2 signs one value");
}

static bool sign(signer *by, file_request of, checked_request checked, positions at, text policy, file_stages *stages) {
    arena *memory = by->memory;
    const text lf = TEXT("\n"), slash = TEXT("/");
    stages->canonical_headers = canonical_headers(by, checked.headers);
    stages->canonical_resource = JOINED(memory, slash, of.bucket, slash, of.key);
    stages->string_to_sign = JOINED(memory, checked.verb, lf, at.content_md5, lf, at.content_type, lf, at.date, lf,
                                    stages->canonical_headers, stages->canonical_resource, policy);
    text key = by->keys.private_key, string = stages->string_to_sign;
    unsigned char digest[SHA_1_SIZE];
    if (!HMAC(EVP_sha1(), key.at, (int)key.size, (const unsigned char *)string.at, string.size, digest, NULL))
        return broken(by, "libcrypto has no HMAC-SHA1");
    text bytes = {(const char *)digest, sizeof digest};
    stages->digest = hexadecimal(memory, bytes);
    stages->signature = base_64(memory, bytes);
    return true;
}

bool sign_request(signer *by, file_request of, text policy, file_stages *stages) {
    checked_request checked;
    positions at;
    return check_request(by, of, &checked) &&
           single_value(by, checked.headers, TEXT("content-md5"), &at.content_md5) &&
           single_value(by, checked.headers, TEXT("content-type"), &at.content_type) &&
           single_value(by, checked.headers, TEXT("date"), &at.date) && sign(by, of, checked, at, policy, stages);
}

static text credentials(signer *by, text signature) {
    return JOINED(by->memory, by->words.scheme, TEXT(" "), by->keys.public_key, TEXT(":"), signature);
}

bool authorization(signer *by, file_request of, file_stages *stages, text *header) {
    if (!sign_request(by, of, TEXT(""), stages)) return false;
    *header = credentials(by, stages->signature);
    return true;
}

bool policy_authorization(signer *by, file_request of, text policy, file_stages *stages, text *header) {
    if (!sign_request(by, of, policy, stages)) return false;
    *header = JOINED(by->memory, credentials(by, stages->signature), TEXT(":"), policy);
    return true;
}

/* A field's value takes the place of a header's, so it is one. */
static bool field_value(signer *by, pairs fields, text name, text *value) {
    return single_value(by, fields, name, value) && sendable_value(by, *value, value);
}

bool form_authorization(signer *by, file_request of, pairs fields, file_stages *stages, text *field) {
    checked_request checked;
    positions at;
    of.method = TEXT("POST");
    if (!check_request(by, of, &checked) || !field_value(by, fields, TEXT("Content-Type"), &at.content_type) ||
        !single_value(by, checked.headers, TEXT("date"), &at.date) ||
        !single_value(by, checked.headers, TEXT("content-md5"), &at.content_md5))
        return false;
    text header;
    bool in_header = values_named(checked.headers, TEXT("content-md5"), &header) != 0;
    if (!in_header && !field_value(by, fields, TEXT("Content-MD5"), &at.content_md5)) return false;
    if (!sign(by, of, checked, at, TEXT(""), stages)) return false;
    *field = credentials(by, stages->signature);
    return true;
}

bool instant_upload(signer *by, file_request of, text etag, text size, file_stages *stages, text *target, text *header) {
    arena *memory = by->memory;
    of.method = TEXT("POST");
    if (!authorization(by, of, stages, header)) return false;
    *target = JOINED(memory, TEXT("/uploadhit?Hash="), url_encoded(memory, etag), TEXT("&FileName="),
                     url_encoded(memory, of.key), TEXT("&FileSize="), url_encoded(memory, size));
    return true;
}

bool sign_url(signer *by, file_request of, text expires, file_stages *stages) {
    checked_request checked;
    if (!check_request(by, of, &checked)) return false;
    return sign(by, of, checked, (positions){TEXT(""), TEXT(""), expires}, TEXT(""), stages);
}

bool presigned_url(signer *by, file_request of, text expires, text scheme, text file_host, file_stages *stages,
                   text *encoded_signature, text *url) {
    arena *memory = by->memory;
    if (!sign_url(by, of, expires, stages)) return false;
    *encoded_signature = url_encoded(memory, stages->signature);
    text place = JOINED(memory, scheme, TEXT("://"), of.bucket, TEXT("."), file_host, TEXT("/"), path_encoded(memory, of.key));
    *url = JOINED(memory, place, TEXT("?"), by->words.public_key_parameter, TEXT("="),
                  url_encoded(memory, by->keys.public_key), TEXT("&Expires="), url_encoded(memory, expires),
                  TEXT("&Signature="), *encoded_signature);
    return true;
}

bool callback_policy(signer *by, pairs members, text *policy) {
    buffer json = {.memory = by->memory};
    add_char(&json, '{');
    for (size_t i = 0; i < members.count; i++) {
        if (i != 0) add_char(&json, ',');
        add_json_text(&json, members.at[i].name);
        add_char(&json, ':');
        add_json_text(&json, members.at[i].value);
    }
    add_char(&json, '}');
    *policy = base_64_url(by->memory, all_of(&json));
    return true;
}
