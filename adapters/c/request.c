#include "request.h"

bool kit_refuse(kit_signer *by, const char *reason, const char *message) {
    by->reason = reason;
    by->message = message;
    return false;
}

bool kit_broken(kit_signer *by, const char *message) { return kit_refuse(by, NULL, message); }

bool kit_unsupported(kit_signer *by, const char *why) {
    by->is_unsupported = true;
    return kit_refuse(by, NULL, why);
}
