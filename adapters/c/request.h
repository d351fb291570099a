/* What questions are about: with the protocol it stays, whatever signs. */
#ifndef KIT_REQUEST_H
#define KIT_REQUEST_H

#include "text.h"

typedef struct {
    kit_text public_key, private_key;
} kit_key_pair;

/* The three words in which deployments of the service differ. */
typedef struct {
    kit_text scheme, header_prefix, public_key_parameter;
} kit_dialect;

/* Who signs or verifies, and why it was declined. */
typedef struct {
    kit_arena *memory;
    kit_key_pair keys;
    kit_dialect words;
    /* NULL where nothing was declined, or where something broke. */
    const char *reason;
    const char *message;
    bool is_unsupported;
} kit_signer;

/* False, for `return refuse(…)`: a deliberate no, or something that broke. */
bool kit_refuse(kit_signer *by, const char *reason, const char *message);
bool kit_broken(kit_signer *by, const char *message);
/* The implementation has no way to express the input, and why: neither a pass nor a failure. */
bool kit_unsupported(kit_signer *by, const char *why);

typedef struct {
    kit_text name, value;
} kit_pair;

typedef struct {
    kit_pair *at;
    size_t count;
} kit_pairs;

/* Values of the parameters of the Action API (5.1). */

typedef enum { KIT_TEXT_VALUE, KIT_NUMBER_VALUE, KIT_BOOLEAN_VALUE, KIT_NULL_VALUE, KIT_LIST_VALUE,
    KIT_OBJECT_VALUE } kit_value_kind;

typedef struct {
    struct kit_parameter *at;
    size_t count;
} kit_parameters;

/* `text` has the text, the digits of a number or the word of a boolean; `items` those of a list (without names) or an object. */
typedef struct {
    kit_value_kind kind;
    kit_text text;
    kit_parameters items;
} kit_any_value;

typedef struct kit_parameter {
    kit_text name;
    kit_any_value value;
} kit_parameter;

/* How deep lists and objects may nest. */
enum { KIT_MOST_LEVELS = 500 };

typedef struct {
    kit_text method, bucket, key;
    kit_pairs headers;
} kit_file_request;

typedef struct {
    const char *path; /* or NULL, and then */
    kit_text bytes;
} kit_content;

#endif
