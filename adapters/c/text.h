/* Bytes with a length, and memory that is given back all at once. */
#ifndef TEXT_H
#define TEXT_H

#include <stdbool.h>
#include <stddef.h>

/* A text may hold NUL, so its length is always beside it. */
typedef struct {
    const char *at;
    size_t size;
} text;

#define TEXT(literal) ((text){"" literal, sizeof literal - 1})

/* Owns what was taken for one question. */
typedef struct {
    struct piece *last;
} arena;

/* Zeroed room for `count` things of `size` bytes; ends the program where there is none. */
void *take(arena *memory, size_t count, size_t size);
void release(arena *memory);

/* A text that grows. */
typedef struct {
    arena *memory;
    char *at;
    size_t size, capacity;
} buffer;

void add_char(buffer *to, char c);
void add_times(buffer *to, char c, size_t count);
void add(buffer *to, text more);
void add_number(buffer *to, size_t number);
text all_of(const buffer *from);

/* The parts as one text. */
text joined(arena *memory, const text *parts, size_t count);
#define JOINED(memory, ...) \
    joined(memory, (const text[]){__VA_ARGS__}, sizeof((const text[]){__VA_ARGS__}) / sizeof(text))

text from_c(const char *terminated);
text between(text of, size_t start, size_t end);
bool same(text a, text b);
bool starts_with(text whole, text start);
/* Ascending order of the bytes. */
int compare(text a, text b);
/* Where `c` is first; the size where it is not. */
size_t place_of(text in, char c);

/* ASCII only: the Kelvin sign is no k. */
char lower(char c);
char upper(char c);
bool is_blank(char c);
bool is_digit(char c);
bool all_digits(text of);
text without_blanks_around(text of);
bool is_utf_8(text of);

#endif
