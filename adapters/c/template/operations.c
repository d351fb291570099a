/*
 * What your implementation has, operation by operation; the other files stay as they are. Report what your
 * implementation gives and repair nothing: no trimming, no re-encoding, no retry. What your SDK needs to be found goes
 * into the build command of adapter.json: its files, -I, -L, -l.
 */
#include "operations.h"

/* In this file these are mistakes; what the SDK's sources may do is left to the compiler's own defaults. */
#pragma GCC diagnostic error "-Wimplicit-function-declaration"
#pragma GCC diagnostic error "-Wincompatible-pointer-types"
#pragma GCC diagnostic error "-Wint-conversion"
#pragma GCC diagnostic error "-Wreturn-type"

const char *const KIT_NAME = "my-sdk", *const KIT_VERSION = "0";

/*
 * The value of the Authorization header (5.2), of what the question holds:
 *
 *   kit_text_at(q->asked, "input.method"), "input.bucket", "input.key": "PUT", "demo", "a.txt"
 *   kit_pairs_at(q->asked, "input.headers"): the names and values, in order
 *   q->by.keys, q->by.words: the key pair, and the words of the service ("Svc", "X-Svc-", "SvcPublicKey")
 *
 * Ask for all of them: an adapter that answers without having read its question ends. A text has a length, and no NUL behind
 * it; for an SDK that takes a `char *` there is kit_c_string(q->by.memory, value), NULL where the text itself holds a NUL. Call
 * your SDK with them, and then, with the stages it shows added in the same way as "trace.stringToSign":
 *
 *   kit_add_line(&q->answer, KIT_TEXT("result.authorization"), value);
 *   return true;
 *
 * A deliberate no of your SDK is `return kit_refuse(&q->by, reason, message)`; where it breaks,
 * `return kit_broken(&q->by, message)`.
 * Where it has no way to express the input, such as a header name twice: `return kit_unsupported(&q->by, why)`; neither a pass nor a
 * failure.
 */
static bool authorization(kit_question *q) {
    return kit_broken(&q->by, "fill in authorization() in operations.c");
}

/* The next one is one line and one function; PROTOCOL.md names them all: {"presigned-url", presigned_url}. */
const kit_operation KIT_OPERATIONS[] = {
    {"authorization", authorization},
};
const size_t KIT_OPERATION_COUNT = sizeof KIT_OPERATIONS / sizeof *KIT_OPERATIONS;

/* The stages that your implementation lets anybody see, of those in PROTOCOL.md; "stringToSign" explains the most. */
const char *const KIT_TRACES[] = {"stringToSign"};
const size_t KIT_TRACE_COUNT = sizeof KIT_TRACES / sizeof *KIT_TRACES;
