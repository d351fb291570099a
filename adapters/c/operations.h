/* What is offered: the part to replace by calls to your own SDK. */
#ifndef OPERATIONS_H
#define OPERATIONS_H

#include "request.h"
#include "wire.h"

/* A question, and what has been answered so far. */
typedef struct {
    signer by;
    const message *asked;
    buffer answer;
} question;

/* True where it answered; otherwise `by` says why not. */
typedef struct {
    const char *name;
    bool (*answer)(question *);
} operation;

extern const operation OPERATIONS[];
extern const size_t OPERATION_COUNT;

/* What reports call the implementation. */
extern const char *const NAME, *const VERSION;

/* The stages that the operations show besides their results. */
extern const char *const TRACES[];
extern const size_t TRACE_COUNT;

#endif
