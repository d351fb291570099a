/* The headers of a request, as they enter the string to sign. */
#ifndef HEADERS_H
#define HEADERS_H

#include "signing.h"

bool is_token(text of);
/* Names in lower case, values unfolded and without blanks around; refused where no request can hold them. */
bool sendable_headers(signer *by, pairs of, pairs *headers);
bool sendable_value(signer *by, text of, text *value);
/* CanonicalizedSvcHeaders, of sendable headers. */
text canonical_headers(signer *by, pairs sendable);
/* How many have exactly this name; the value of the first one, where there is one. */
size_t values_named(pairs in, text name, text *first);

#endif
