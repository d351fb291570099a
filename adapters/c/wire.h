/* The messages of the adapter protocol in tab-separated lines: the same whatever the implementation is. */
#ifndef WIRE_H
#define WIRE_H

#include "request.h"

/* One `key TAB value`, unescaped. */
typedef struct {
    text key, value;
    bool used;
} line;

/* Its lines, sorted by key. */
typedef struct {
    arena *memory;
    line *lines;
    size_t count;
} message;

/* False where standard input ends. A malformed message ends the program with status 1, here and below. */
bool read_message(arena *memory, message *to);
_Noreturn void malformed(const char *what, text key);

bool has(const message *in, text key);
text text_at(const message *in, const char *key);
pairs pairs_at(const message *in, const char *key);
/* False where lists and objects nest deeper than MOST_LEVELS. */
bool parameters_at(const message *in, const char *key, parameters *to);
content content_at(const message *in, const char *key);
/* That nothing is there which was not asked for. */
void all_used(const message *in);

void add_line(buffer *to, text key, text value);
/* What a message has, the blank line that ends it, and all of it out at once. */
void write_message(const buffer *lines);

#endif
