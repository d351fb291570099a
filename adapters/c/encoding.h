/* The ways in which bytes are written as text. */
#ifndef KIT_ENCODING_H
#define KIT_ENCODING_H

#include "text.h"

enum { KIT_SHA_1_SIZE = 20 };

/* 5.3: everything but letters, digits, "-", "_", "." and "~". */
kit_text kit_url_encoded(kit_arena *memory, kit_text of);
/* The same, with the slashes as they are. */
kit_text kit_path_encoded(kit_arena *memory, kit_text of);
/* False for a bad escape, and where the bytes are no UTF-8. A "+" is a plus. */
bool kit_url_decoded(kit_arena *memory, kit_text of, kit_text *decoded);

kit_text kit_base_64(kit_arena *memory, kit_text of);
kit_text kit_base_64_url(kit_arena *memory, kit_text of);
bool kit_base_64_decoded(kit_arena *memory, kit_text of, kit_text *decoded);

kit_text kit_hexadecimal(kit_arena *memory, kit_text of);
/* A text in quotes, as JSON has it. */
void kit_add_json_text(kit_buffer *to, kit_text of);

#endif
