/* The signing of requests, as the specification has it: what operations.c calls, and what your own SDK takes the place of. */
#ifndef SIGNING_H
#define SIGNING_H

#include "request.h"

/* Parameters of the Action API (5.1). */

/* A parameter after flattening: its text is what is signed. */
typedef struct {
    text name, value;
    value_kind kind;
} leaf;

typedef struct {
    leaf *sorted;
    size_t count;
    text string_to_sign, signature;
} action_stages;

bool action_signature(signer *by, parameters of, action_stages *stages);
bool action_json(signer *by, parameters of, action_stages *stages, text *body);
bool action_query(signer *by, parameters of, action_stages *stages, text *query);
bool bucket_request(signer *by, parameters of, action_stages *stages, text *target);
text password_value(arena *memory, text clear);

/* Flattened and sorted, `Signature` left out (5.1 steps 1 and 2). */
bool sort_parameters(signer *by, parameters of, action_stages *stages);
/* The string to sign and its SHA-1 (5.1 steps 3 to 6). */
bool sign_parameters(signer *by, action_stages *stages);
const leaf *leaf_named(const action_stages *stages, text name);
/* Without an exponent or superfluous zeros; false for what is no number of JSON. */
bool plain_decimal(arena *memory, text digits, text *decimal);
/* One JSON text, as a value; false for anything else. */
bool read_json(arena *memory, text from, any_value *to);

/* Files (5.2 to 5.4). */

typedef struct {
    text canonical_headers, canonical_resource, string_to_sign, digest, signature;
} file_stages;

bool authorization(signer *by, file_request of, file_stages *stages, text *header);
bool policy_authorization(signer *by, file_request of, text policy, file_stages *stages, text *header);
bool form_authorization(signer *by, file_request of, pairs fields, file_stages *stages, text *field);
bool instant_upload(signer *by, file_request of, text etag, text size, file_stages *stages, text *target, text *header);
bool presigned_url(signer *by, file_request of, text expires, text scheme, text file_host, file_stages *stages,
                   text *encoded_signature, text *url);
bool callback_policy(signer *by, pairs members, text *policy);

/* The stages of the text that is signed with a header, and of the one that is signed in a URL. */
bool sign_request(signer *by, file_request of, text policy, file_stages *stages);
bool sign_url(signer *by, file_request of, text expires, file_stages *stages);
/* Content hashes (2). A file is read in pieces, whatever its size. */

bool file_etag(signer *by, content of, size_t *block_count, text *digest, text *etag);
bool part_etag(signer *by, content of, text *digest, text *etag);

/* Verification: true where the request is that of the account. */

bool verify_authorization(signer *by, file_request of, file_stages *stages);
bool verify_presigned_url(signer *by, text method, text url, pairs headers, text file_host, text now, file_stages *stages);
bool verify_query(signer *by, text query, action_stages *stages);
bool verify_json(signer *by, text body, action_stages *stages);

#endif
