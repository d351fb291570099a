/* The signing of requests, as the specification has it: what operations.c calls, and what your own SDK takes the place of. */
#ifndef SIGNING_H
#define SIGNING_H

#include "request.h"

/* Parameters of the Action API (5.1). */

/* A parameter after flattening: its text is what is signed. */
typedef struct {
    kit_text name, value;
    kit_value_kind kind;
} leaf;

typedef struct {
    leaf *sorted;
    size_t count;
    kit_text string_to_sign, signature;
} action_stages;

bool action_signature(kit_signer *by, kit_parameters of, action_stages *stages);
bool action_json(kit_signer *by, kit_parameters of, action_stages *stages, kit_text *body);
bool action_query(kit_signer *by, kit_parameters of, action_stages *stages, kit_text *query);
bool bucket_request(kit_signer *by, kit_parameters of, action_stages *stages, kit_text *target);
kit_text password_value(kit_arena *memory, kit_text clear);

/* Flattened and sorted, `Signature` left out (5.1 steps 1 and 2). */
bool sort_parameters(kit_signer *by, kit_parameters of, action_stages *stages);
/* The string to sign and its SHA-1 (5.1 steps 3 to 6). */
bool sign_parameters(kit_signer *by, action_stages *stages);
const leaf *leaf_named(const action_stages *stages, kit_text name);
/* Without an exponent or superfluous zeros; false for what is no number of JSON. */
bool plain_decimal(kit_arena *memory, kit_text digits, kit_text *decimal);
/* One JSON text, as a value; false for anything else. */
bool read_json(kit_arena *memory, kit_text from, kit_any_value *to);

/* Files (5.2 to 5.4). */

typedef struct {
    kit_text canonical_headers, canonical_resource, string_to_sign, digest, signature;
} file_stages;

bool authorization(kit_signer *by, kit_file_request of, file_stages *stages, kit_text *header);
bool policy_authorization(kit_signer *by, kit_file_request of, kit_text policy, file_stages *stages, kit_text *header);
bool form_authorization(kit_signer *by, kit_file_request of, kit_pairs fields, file_stages *stages, kit_text *field);
bool instant_upload(kit_signer *by, kit_file_request of, kit_text etag, kit_text size, file_stages *stages,
    kit_text *target, kit_text *header);
bool presigned_url(kit_signer *by, kit_file_request of, kit_text expires, kit_text scheme, kit_text file_host, file_stages *stages,
                   kit_text *encoded_signature, kit_text *url);
bool callback_policy(kit_signer *by, kit_pairs members, kit_text *policy);

/* The stages of the text that is signed with a header, and of the one that is signed in a URL. */
bool sign_request(kit_signer *by, kit_file_request of, kit_text policy, file_stages *stages);
bool sign_url(kit_signer *by, kit_file_request of, kit_text expires, file_stages *stages);
/* Content hashes (2). A file is read in pieces, whatever its size. */

bool file_etag(kit_signer *by, kit_content of, size_t *block_count, kit_text *digest, kit_text *etag);
bool part_etag(kit_signer *by, kit_content of, kit_text *digest, kit_text *etag);

/* Verification: true where the request is that of the account. */

bool verify_authorization(kit_signer *by, kit_file_request of, file_stages *stages);
bool verify_presigned_url(kit_signer *by, kit_text method, kit_text url, kit_pairs headers, kit_text file_host,
    kit_text now, file_stages *stages);
bool verify_query(kit_signer *by, kit_text query, action_stages *stages);
bool verify_json(kit_signer *by, kit_text body, action_stages *stages);

#endif
