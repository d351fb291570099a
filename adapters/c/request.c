#include "request.h"

bool refuse(signer *by, const char *reason, const char *message) {
    by->reason = reason;
    by->message = message;
    return false;
}

bool broken(signer *by, const char *message) { return refuse(by, NULL, message); }
