/* The messages of the adapter protocol in tab-separated lines: the same whatever the implementation is. */
#ifndef KIT_WIRE_H
#define KIT_WIRE_H

#include <stdio.h>

#include "request.h"

/* One `key TAB value`, unescaped. */
typedef struct {
    kit_text key, value;
    bool used;
} kit_line;

/* Its lines, sorted by key. */
typedef struct {
    kit_arena *memory;
    kit_line *lines;
    size_t count;
} kit_message;

/* False where standard input ends. A malformed message ends the program with status 1, here and below. */
bool kit_read_message(kit_arena *memory, kit_message *to);
_Noreturn void kit_malformed(const char *what, kit_text key);

bool kit_has(const kit_message *in, kit_text key);
kit_text kit_text_at(const kit_message *in, const char *key);
kit_pairs kit_pairs_at(const kit_message *in, const char *key);
/* False where lists and objects nest deeper than MOST_LEVELS. */
bool kit_parameters_at(const kit_message *in, const char *key, kit_parameters *to);
kit_content kit_content_at(const kit_message *in, const char *key);
/* That nothing is there which was not asked for. */
void kit_all_used(const kit_message *in);

void kit_add_line(kit_buffer *to, kit_text key, kit_text value);
/* What a message has, the blank line that ends it, and all of it out at once. */
void kit_write_message(FILE *to, const kit_buffer *lines);

#endif
