/* The ways in which bytes are written as text. */
#ifndef ENCODING_H
#define ENCODING_H

#include "text.h"

enum { SHA_1_SIZE = 20 };

/* 5.3: everything but letters, digits, "-", "_", "." and "~". */
text url_encoded(arena *memory, text of);
/* The same, with the slashes as they are. */
text path_encoded(arena *memory, text of);
/* False for a bad escape, and where the bytes are no UTF-8. A "+" is a plus. */
bool url_decoded(arena *memory, text of, text *decoded);

text base_64(arena *memory, text of);
text base_64_url(arena *memory, text of);
bool base_64_decoded(arena *memory, text of, text *decoded);

text hexadecimal(arena *memory, text of);
/* A text in quotes, as JSON has it. */
void add_json_text(buffer *to, text of);

#endif
