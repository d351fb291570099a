#include "text.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct kit_piece {
    struct kit_piece *before;
    max_align_t start[];
};

static _Noreturn void out_of_memory(void) {
    fputs("adapter: out of memory\n", stderr);
    exit(EXIT_FAILURE);
}

void *kit_take(kit_arena *memory, size_t count, size_t size) {
    if (size != 0 && count > (SIZE_MAX - sizeof(struct kit_piece)) / size) out_of_memory();
    struct kit_piece *piece = calloc(1, sizeof *piece + count * size);
    if (piece == NULL) out_of_memory();
    piece->before = memory->last;
    memory->last = piece;
    return piece->start;
}

void kit_release(kit_arena *memory) {
    while (memory->last != NULL) {
        struct kit_piece *before = memory->last->before;
        free(memory->last);
        memory->last = before;
    }
}

static void make_room(kit_buffer *in, size_t more) {
    if (more <= in->capacity - in->size) return;
    if (more > SIZE_MAX / 4 || in->size > SIZE_MAX / 4) out_of_memory();
    size_t capacity = 2 * (in->size + more) + 32;
    char *moved = kit_take(in->memory, capacity, 1);
    if (in->size != 0) memcpy(moved, in->at, in->size);
    in->at = moved;
    in->capacity = capacity;
}

void kit_add_char(kit_buffer *to, char c) {
    make_room(to, 1);
    to->at[to->size++] = c;
}

void kit_add_times(kit_buffer *to, char c, size_t count) {
    make_room(to, count);
    if (count != 0) memset(to->at + to->size, c, count);
    to->size += count;
}

void kit_add(kit_buffer *to, kit_text more) {
    make_room(to, more.size);
    if (more.size != 0) memcpy(to->at + to->size, more.at, more.size);
    to->size += more.size;
}

void kit_add_number(kit_buffer *to, size_t number) {
    char digits[24];
    int size = snprintf(digits, sizeof digits, "%zu", number);
    kit_add(to, (kit_text){digits, (size_t)size});
}

kit_text kit_all_of(const kit_buffer *from) { return (kit_text){from->size == 0 ? "" : from->at, from->size}; }

kit_text kit_joined(kit_arena *memory, const kit_text *parts, size_t count) {
    kit_buffer whole = {.memory = memory};
    for (size_t i = 0; i < count; i++) kit_add(&whole, parts[i]);
    return kit_all_of(&whole);
}

kit_text kit_from_c(const char *terminated) { return (kit_text){terminated, strlen(terminated)}; }

const char *kit_c_string(kit_arena *memory, kit_text of) {
    if (kit_place_of(of, '\0') != of.size) return NULL;
    char *terminated = kit_take(memory, of.size + 1, 1);
    if (of.size != 0) memcpy(terminated, of.at, of.size);
    return terminated;
}

kit_text kit_between(kit_text of, size_t start, size_t end) { return (kit_text){of.at + start, end - start}; }

bool kit_same(kit_text a, kit_text b) { return a.size == b.size && (a.size == 0 || memcmp(a.at, b.at, a.size) == 0); }

bool kit_starts_with(kit_text whole, kit_text start) {
    return whole.size >= start.size && kit_same(kit_between(whole, 0, start.size), start);
}

int kit_compare(kit_text a, kit_text b) {
    size_t shorter = a.size < b.size ? a.size : b.size;
    int order = shorter == 0 ? 0 : memcmp(a.at, b.at, shorter);
    return order != 0 ? order : (a.size > b.size) - (a.size < b.size);
}

size_t kit_place_of(kit_text in, char c) {
    const char *found = in.size == 0 ? NULL : memchr(in.at, c, in.size);
    return found == NULL ? in.size : (size_t)(found - in.at);
}

char kit_lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c; }

char kit_upper(char c) { return c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c; }

bool kit_is_blank(char c) { return c == ' ' || c == '\t'; }

bool kit_is_digit(char c) { return c >= '0' && c <= '9'; }

bool kit_all_digits(kit_text of) {
    for (size_t i = 0; i < of.size; i++)
        if (!kit_is_digit(of.at[i])) return false;
    return of.size != 0;
}

kit_text kit_without_blanks_around(kit_text of) {
    size_t start = 0, end = of.size;
    while (start < end && kit_is_blank(of.at[start])) start++;
    while (end > start && kit_is_blank(of.at[end - 1])) end--;
    return kit_between(of, start, end);
}

/* The bytes that a first byte announces, itself among them; 0 where no character starts like this. */
static size_t announced(unsigned char first) {
    if (first < 0x80) return 1;
    if (first >= 0xC2 && first <= 0xDF) return 2;
    if (first >= 0xE0 && first <= 0xEF) return 3;
    if (first >= 0xF0 && first <= 0xF4) return 4;
    return 0;
}

/* Neither more bytes than needed, nor an unpaired surrogate, nor beyond U+10FFFF. */
static bool may_be_second(unsigned char first, unsigned char second) {
    switch (first) {
        case 0xE0: return second >= 0xA0;
        case 0xED: return second <= 0x9F;
        case 0xF0: return second >= 0x90;
        case 0xF4: return second <= 0x8F;
        default: return true;
    }
}

bool kit_is_utf_8(kit_text of) {
    const unsigned char *at = (const unsigned char *)of.at;
    for (size_t i = 0; i < of.size;) {
        size_t size = announced(at[i]);
        if (size == 0 || size > of.size - i) return false;
        for (size_t k = 1; k < size; k++)
            if ((at[i + k] & 0xC0) != 0x80) return false;
        if (size > 1 && !may_be_second(at[i], at[i + 1])) return false;
        i += size;
    }
    return true;
}
