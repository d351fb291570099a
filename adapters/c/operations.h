/* What is offered: the part to replace by calls to your own SDK. */
#ifndef KIT_OPERATIONS_H
#define KIT_OPERATIONS_H

#include "request.h"
#include "wire.h"

/* A question, and what has been answered so far. */
typedef struct {
    kit_signer by;
    const kit_message *asked;
    kit_buffer answer;
} kit_question;

/* True where it answered; otherwise `by` says why not. */
typedef struct {
    const char *name;
    bool (*answer)(kit_question *);
} kit_operation;

extern const kit_operation KIT_OPERATIONS[];
extern const size_t KIT_OPERATION_COUNT;

/* What reports call the implementation. */
extern const char *const KIT_NAME, *const KIT_VERSION;

/* The stages that the operations show besides their results. */
extern const char *const KIT_TRACES[];
extern const size_t KIT_TRACE_COUNT;

#endif
