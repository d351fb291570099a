/* The headers of a request, as they enter the string to sign. */
#ifndef HEADERS_H
#define HEADERS_H

#include "signing.h"

bool is_token(kit_text of);
/* Names in lower case, values unfolded and without blanks around; refused where no request can hold them. */
bool sendable_headers(kit_signer *by, kit_pairs of, kit_pairs *headers);
bool sendable_value(kit_signer *by, kit_text of, kit_text *value);
/* CanonicalizedSvcHeaders, of sendable headers. */
kit_text canonical_headers(kit_signer *by, kit_pairs sendable);
/* How many have exactly this name; the value of the first one, where there is one. */
size_t values_named(kit_pairs in, kit_text name, kit_text *first);

#endif
