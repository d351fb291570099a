/* Bytes with a length, and memory that is given back all at once. */
#ifndef KIT_TEXT_H
#define KIT_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/* A text may hold NUL, so its length is always beside it. */
typedef struct {
    const char *at;
    size_t size;
} kit_text;

#define KIT_TEXT(literal) ((kit_text){"" literal, sizeof literal - 1})

/* Owns what was taken for one question. */
typedef struct {
    struct kit_piece *last;
} kit_arena;

/* Zeroed room for `count` things of `size` bytes; ends the program where there is none. */
void *kit_take(kit_arena *memory, size_t count, size_t size);
void kit_release(kit_arena *memory);

/* A text that grows. */
typedef struct {
    kit_arena *memory;
    char *at;
    size_t size, capacity;
} kit_buffer;

void kit_add_char(kit_buffer *to, char c);
void kit_add_times(kit_buffer *to, char c, size_t count);
void kit_add(kit_buffer *to, kit_text more);
void kit_add_number(kit_buffer *to, size_t number);
kit_text kit_all_of(const kit_buffer *from);

/* The parts as one text. */
kit_text kit_joined(kit_arena *memory, const kit_text *parts, size_t count);
#define KIT_JOINED(memory, ...) \
    kit_joined(memory, (const kit_text[]){__VA_ARGS__}, sizeof((const kit_text[]){__VA_ARGS__}) / sizeof(kit_text))

kit_text kit_from_c(const char *terminated);
/* The text with a NUL behind it; NULL where the text itself holds a NUL, which no `char *` can show. */
const char *kit_c_string(kit_arena *memory, kit_text of);
kit_text kit_between(kit_text of, size_t start, size_t end);
bool kit_same(kit_text a, kit_text b);
bool kit_starts_with(kit_text whole, kit_text start);
/* Ascending order of the bytes. */
int kit_compare(kit_text a, kit_text b);
/* Where `c` is first; the size where it is not. */
size_t kit_place_of(kit_text in, char c);

/* ASCII only: the Kelvin sign is no k. */
char kit_lower(char c);
char kit_upper(char c);
bool kit_is_blank(char c);
bool kit_is_digit(char c);
bool kit_all_digits(kit_text of);
kit_text kit_without_blanks_around(kit_text of);
bool kit_is_utf_8(kit_text of);

#endif
