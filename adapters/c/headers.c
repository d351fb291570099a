/* 5.2: the headers of a request, as they enter the string to sign. */
#include "headers.h"

#include <stdlib.h>
#include <string.h>

bool is_token(kit_text of) {
    for (size_t i = 0; i < of.size; i++) {
        char c = of.at[i];
        bool is_letter = kit_lower(c) >= 'a' && kit_lower(c) <= 'z';
        if (!is_letter && !kit_is_digit(c) && (c == '\0' || strchr("!#$%&'*+-.^_`|~", c) == NULL)) return false;
    }
    return of.size != 0;
}

static size_t blanks_from(kit_text in, size_t at) {
    while (at < in.size && kit_is_blank(in.at[at])) at++;
    return at;
}

/* Behind the line end at this place, where a blank follows it; otherwise this place. */
static size_t behind_fold(kit_text in, size_t at) {
    size_t end = at;
    if (end < in.size && in.at[end] == '\r') end++;
    if (end >= in.size || in.at[end] != '\n') return at;
    return blanks_from(in, end + 1) > end + 1 ? blanks_from(in, end + 1) : at;
}

/* step 4: folds, with the blanks around them, become one space. */
static kit_text unfolded(kit_arena *memory, kit_text value) {
    kit_buffer out = {.memory = memory};
    for (size_t at = 0; at < value.size;) {
        size_t start = blanks_from(value, at), end = start;
        for (size_t next; (next = behind_fold(value, end)) != end;) end = next;
        if (end != start) kit_add_char(&out, ' ');
        else if (start != at) kit_add(&out, kit_between(value, at, start));
        else kit_add_char(&out, value.at[end++]);
        at = end;
    }
    return kit_all_of(&out);
}

bool sendable_value(kit_signer *by, kit_text of, kit_text *value) {
    *value = kit_without_blanks_around(unfolded(by->memory, of));
    bool breaks = kit_place_of(*value, '\r') != value->size || kit_place_of(*value, '\n') != value->size;
    if (breaks || kit_place_of(*value, '\0') != value->size)
        return kit_refuse(by, "header-value", "a header's value has a line end that is no fold, or a NUL; no request can hold it");
    return true;
}

static bool sendable_name(kit_signer *by, kit_text of, kit_text *name) {
    kit_buffer small = {.memory = by->memory};
    for (size_t i = 0; i < of.size; i++) kit_add_char(&small, kit_lower(of.at[i]));
    *name = kit_all_of(&small);
    while (name->size != 0 && kit_is_blank(name->at[name->size - 1])) name->size--; /* step 5 */
    return is_token(*name) || kit_refuse(by, "header-name", "a header's name is not a token; no request can hold it");
}

bool sendable_headers(kit_signer *by, kit_pairs of, kit_pairs *headers) {
    *headers = (kit_pairs){kit_take(by->memory, of.count, sizeof(kit_pair)), of.count};
    for (size_t i = 0; i < of.count; i++) {
        if (!sendable_name(by, of.at[i].name, &headers->at[i].name)) return false;
        if (!sendable_value(by, of.at[i].value, &headers->at[i].value)) return false;
    }
    return true;
}

/* An extra header and its place in the request: qsort keeps no order among equals. */
typedef struct {
    kit_pair header;
    size_t place;
} placed;

static int by_name(const void *a, const void *b) {
    const placed *left = a, *right = b;
    int order = kit_compare(left->header.name, right->header.name);
    return order != 0 ? order : (left->place > right->place) - (left->place < right->place);
}

static kit_text lower_prefix(kit_signer *by) {
    kit_buffer small = {.memory = by->memory};
    for (size_t i = 0; i < by->words.header_prefix.size; i++) kit_add_char(&small, kit_lower(by->words.header_prefix.at[i]));
    return kit_all_of(&small);
}

kit_text canonical_headers(kit_signer *by, kit_pairs sendable) {
    placed *extra = kit_take(by->memory, sendable.count, sizeof *extra);
    size_t count = 0;
    kit_text prefix = lower_prefix(by);
    for (size_t i = 0; i < sendable.count; i++)
        if (kit_starts_with(sendable.at[i].name, prefix)) extra[count++] = (placed){sendable.at[i], i};
    if (count != 0) qsort(extra, count, sizeof *extra, by_name); /* step 2 */

    kit_buffer out = {.memory = by->memory};
    for (size_t i = 0; i < count; i++) {
        bool goes_on = i != 0 && kit_same(extra[i].header.name, extra[i - 1].header.name);
        if (!goes_on) kit_add(&out, extra[i].header.name);
        kit_add_char(&out, goes_on ? ',' : ':'); /* step 3 */
        kit_add(&out, extra[i].header.value);
        if (i + 1 == count || !kit_same(extra[i].header.name, extra[i + 1].header.name)) kit_add_char(&out, '\n'); /* step 6 */
    }
    return kit_all_of(&out);
}

size_t values_named(kit_pairs in, kit_text name, kit_text *first) {
    size_t count = 0;
    for (size_t i = 0; i < in.count; i++)
        if (kit_same(in.at[i].name, name) && count++ == 0) *first = in.at[i].value;
    return count;
}
