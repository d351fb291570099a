/* Requests for files: 4.3, 5.2, 5.4, and the callback policy. */
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include "encoding.h"
#include "headers.h"

/* What stands between the verb and the extra headers. */
typedef struct {
    kit_text content_md5, content_type, date;
} positions;

/* What all forms of signing need of a request: sendable headers, a verb in upper case. */
typedef struct {
    kit_text verb;
    kit_pairs headers;
} checked_request;

static bool check_request(kit_signer *by, kit_file_request of, checked_request *to) {
    if (!is_token(of.method)) return kit_refuse(by, "method", "the verb is not a token; HTTP cannot send it");
    if (of.bucket.size == 0 || kit_place_of(of.bucket, '/') != of.bucket.size)
        return kit_refuse(by, "bucket", "the bucket's name is empty or has a slash; no host has it (section 4.3)");
    kit_buffer verb = {.memory = by->memory};
    for (size_t i = 0; i < of.method.size; i++) kit_add_char(&verb, kit_upper(of.method.at[i]));
    to->verb = kit_all_of(&verb);
    return sendable_headers(by, of.headers, &to->headers);
}

/* The value that a name has once or not at all. */
static bool single_value(kit_signer *by, kit_pairs in, kit_text name, kit_text *value) {
    *value = KIT_TEXT("");
    return values_named(in, name, value) <= 1 ||
           kit_refuse(by, "header-repeated", "a header or field is there twice; section 5.2 signs one value");
}

static bool sign(kit_signer *by, kit_file_request of, checked_request checked, positions at, kit_text policy, file_stages *stages) {
    kit_arena *memory = by->memory;
    const kit_text lf = KIT_TEXT("\n"), slash = KIT_TEXT("/");
    stages->canonical_headers = canonical_headers(by, checked.headers);
    stages->canonical_resource = KIT_JOINED(memory, slash, of.bucket, slash, of.key);
    stages->string_to_sign = KIT_JOINED(memory, checked.verb, lf, at.content_md5, lf, at.content_type, lf, at.date, lf,
                                    stages->canonical_headers, stages->canonical_resource, policy);
    kit_text key = by->keys.private_key, string = stages->string_to_sign;
    unsigned char digest[KIT_SHA_1_SIZE];
    if (!HMAC(EVP_sha1(), key.at, (int)key.size, (const unsigned char *)string.at, string.size, digest, NULL))
        return kit_broken(by, "libcrypto has no HMAC-SHA1");
    kit_text bytes = {(const char *)digest, sizeof digest};
    stages->digest = kit_hexadecimal(memory, bytes);
    stages->signature = kit_base_64(memory, bytes);
    return true;
}

bool sign_request(kit_signer *by, kit_file_request of, kit_text policy, file_stages *stages) {
    checked_request checked;
    positions at;
    return check_request(by, of, &checked) &&
           single_value(by, checked.headers, KIT_TEXT("content-md5"), &at.content_md5) &&
           single_value(by, checked.headers, KIT_TEXT("content-type"), &at.content_type) &&
           single_value(by, checked.headers, KIT_TEXT("date"), &at.date) && sign(by, of, checked, at, policy, stages);
}

static kit_text credentials(kit_signer *by, kit_text signature) {
    return KIT_JOINED(by->memory, by->words.scheme, KIT_TEXT(" "), by->keys.public_key, KIT_TEXT(":"), signature);
}

bool authorization(kit_signer *by, kit_file_request of, file_stages *stages, kit_text *header) {
    if (!sign_request(by, of, KIT_TEXT(""), stages)) return false;
    *header = credentials(by, stages->signature);
    return true;
}

bool policy_authorization(kit_signer *by, kit_file_request of, kit_text policy, file_stages *stages, kit_text *header) {
    if (!sign_request(by, of, policy, stages)) return false;
    *header = KIT_JOINED(by->memory, credentials(by, stages->signature), KIT_TEXT(":"), policy);
    return true;
}

/* A field's value takes the place of a header's, so it is one. */
static bool field_value(kit_signer *by, kit_pairs fields, kit_text name, kit_text *value) {
    return single_value(by, fields, name, value) && sendable_value(by, *value, value);
}

bool form_authorization(kit_signer *by, kit_file_request of, kit_pairs fields, file_stages *stages, kit_text *field) {
    checked_request checked;
    positions at;
    of.method = KIT_TEXT("POST");
    if (!check_request(by, of, &checked) || !field_value(by, fields, KIT_TEXT("Content-Type"), &at.content_type) ||
        !single_value(by, checked.headers, KIT_TEXT("date"), &at.date) ||
        !single_value(by, checked.headers, KIT_TEXT("content-md5"), &at.content_md5))
        return false;
    kit_text header;
    bool in_header = values_named(checked.headers, KIT_TEXT("content-md5"), &header) != 0;
    if (!in_header && !field_value(by, fields, KIT_TEXT("Content-MD5"), &at.content_md5)) return false;
    if (!sign(by, of, checked, at, KIT_TEXT(""), stages)) return false;
    *field = credentials(by, stages->signature);
    return true;
}

bool instant_upload(kit_signer *by, kit_file_request of, kit_text etag, kit_text size, file_stages *stages,
    kit_text *target, kit_text *header) {
    kit_arena *memory = by->memory;
    of.method = KIT_TEXT("POST");
    if (!authorization(by, of, stages, header)) return false;
    *target = KIT_JOINED(memory, KIT_TEXT("/uploadhit?Hash="), kit_url_encoded(memory, etag), KIT_TEXT("&FileName="),
                     kit_url_encoded(memory, of.key), KIT_TEXT("&FileSize="), kit_url_encoded(memory, size));
    return true;
}

bool sign_url(kit_signer *by, kit_file_request of, kit_text expires, file_stages *stages) {
    checked_request checked;
    if (!check_request(by, of, &checked)) return false;
    return sign(by, of, checked, (positions){KIT_TEXT(""), KIT_TEXT(""), expires}, KIT_TEXT(""), stages);
}

bool presigned_url(kit_signer *by, kit_file_request of, kit_text expires, kit_text scheme, kit_text file_host, file_stages *stages,
                   kit_text *encoded_signature, kit_text *url) {
    kit_arena *memory = by->memory;
    if (!sign_url(by, of, expires, stages)) return false;
    *encoded_signature = kit_url_encoded(memory, stages->signature);
    kit_text place = KIT_JOINED(memory, scheme, KIT_TEXT("://"), of.bucket, KIT_TEXT("."), file_host, KIT_TEXT("/"),
        kit_path_encoded(memory, of.key));
    *url = KIT_JOINED(memory, place, KIT_TEXT("?"), by->words.public_key_parameter, KIT_TEXT("="),
                  kit_url_encoded(memory, by->keys.public_key), KIT_TEXT("&Expires="), kit_url_encoded(memory, expires),
                  KIT_TEXT("&Signature="), *encoded_signature);
    return true;
}

bool callback_policy(kit_signer *by, kit_pairs members, kit_text *policy) {
    kit_buffer json = {.memory = by->memory};
    kit_add_char(&json, '{');
    for (size_t i = 0; i < members.count; i++) {
        if (i != 0) kit_add_char(&json, ',');
        kit_add_json_text(&json, members.at[i].name);
        kit_add_char(&json, ':');
        kit_add_json_text(&json, members.at[i].value);
    }
    kit_add_char(&json, '}');
    *policy = kit_base_64_url(by->memory, kit_all_of(&json));
    return true;
}
