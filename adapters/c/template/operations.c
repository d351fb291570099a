/*
 * What your implementation has, operation by operation; the other files stay as they are. Report what your
 * implementation gives and repair nothing: no trimming, no re-encoding, no retry. What your SDK needs to be found goes
 * into the build command of adapter.json: its files, -I, -L, -l.
 */
#include "operations.h"

const char *const NAME = "my-sdk", *const VERSION = "0";

/*
 * The value of the Authorization header (5.2), of what the question holds:
 *
 *   text_at(q->asked, "input.method"), "input.bucket", "input.key": "PUT", "demo", "a.txt"
 *   pairs_at(q->asked, "input.headers"): the names and values, in order
 *   q->by.keys, q->by.words: the key pair, and the words of the service ("Svc", "X-Svc-", "SvcPublicKey")
 *
 * Ask for all of them: an adapter that answers without having read its question ends. Call your SDK with them, and then, with the stages it shows added in the same way as "trace.stringToSign":
 *
 *   add_line(&q->answer, TEXT("result.authorization"), value);
 *   return true;
 *
 * A deliberate no of your SDK is `return refuse(&q->by, reason, message)`; where it breaks, `return broken(&q->by, message)`.
 */
static bool authorization(question *q) {
    return broken(&q->by, "fill in authorization() in operations.c");
}

/* The next one is one line and one function; PROTOCOL.md names them all: {"presigned-url", presigned_url}. */
const operation OPERATIONS[] = {
    {"authorization", authorization},
};
const size_t OPERATION_COUNT = sizeof OPERATIONS / sizeof *OPERATIONS;

/* The stages that your implementation lets anybody see, of those in PROTOCOL.md; "stringToSign" explains the most. */
const char *const TRACES[] = {"stringToSign"};
const size_t TRACE_COUNT = sizeof TRACES / sizeof *TRACES;
