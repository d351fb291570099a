/* What questions are about: with the protocol it stays, whatever signs. */
#ifndef REQUEST_H
#define REQUEST_H

#include "text.h"

typedef struct {
    text public_key, private_key;
} key_pair;

/* The three words in which deployments of the service differ. */
typedef struct {
    text scheme, header_prefix, public_key_parameter;
} dialect;

/* Who signs or verifies, and why it was declined. */
typedef struct {
    arena *memory;
    key_pair keys;
    dialect words;
    /* NULL where nothing was declined, or where something broke. */
    const char *reason;
    const char *message;
} signer;

/* False, for `return refuse(…)`: a deliberate no, or something that broke. */
bool refuse(signer *by, const char *reason, const char *message);
bool broken(signer *by, const char *message);

typedef struct {
    text name, value;
} pair;

typedef struct {
    pair *at;
    size_t count;
} pairs;

/* Values of the parameters of the Action API (5.1). */

typedef enum { TEXT_VALUE, NUMBER_VALUE, BOOLEAN_VALUE, NULL_VALUE, LIST_VALUE, OBJECT_VALUE } value_kind;

typedef struct {
    struct parameter *at;
    size_t count;
} parameters;

/* `text` has the text, the digits of a number or the word of a boolean; `items` those of a list (without names) or an object. */
typedef struct {
    value_kind kind;
    text text;
    parameters items;
} any_value;

typedef struct parameter {
    text name;
    any_value value;
} parameter;

/* How deep lists and objects may nest. */
enum { MOST_LEVELS = 500 };

typedef struct {
    text method, bucket, key;
    pairs headers;
} file_request;

typedef struct {
    const char *path; /* or NULL, and then */
    text bytes;
} content;

#endif
