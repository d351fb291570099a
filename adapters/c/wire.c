#include "wire.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "encoding.h"

enum { LONGEST_LINE = 8 * 1024 * 1024 };

void kit_malformed(const char *what, kit_text key) {
    fprintf(stderr, "adapter: malformed message: %s%s%.*s; see adapters/PROTOCOL.md\n", what, key.size ? ": " : "",
        (int)key.size, key.at);
    exit(EXIT_FAILURE);
}

/* Without its line feed; false at the end of the input. */
static bool read_line(kit_arena *memory, kit_text *to) {
    kit_buffer bytes = {.memory = memory};
    int c;
    while ((c = getchar()) != EOF && c != '\n') {
        if (bytes.size == LONGEST_LINE) kit_malformed("a line is longer than 8 MiB", KIT_TEXT(""));
        kit_add_char(&bytes, (char)c);
    }
    *to = kit_all_of(&bytes);
    if (c == EOF && bytes.size != 0) kit_malformed("the input ends inside a line", KIT_TEXT(""));
    return c != EOF;
}

static kit_text unescaped(kit_arena *memory, kit_text of) {
    kit_buffer out = {.memory = memory};
    for (size_t i = 0; i < of.size; i++) {
        if (of.at[i] != '\\') {
            kit_add_char(&out, of.at[i]);
            continue;
        }
        char name = ++i < of.size ? of.at[i] : '\0';
        if (name != 'n' && name != 't' && name != '\\')
            kit_malformed("a backslash before something other than n, t and itself", KIT_TEXT(""));
        kit_add_char(&out, name == 'n' ? '\n' : name == 't' ? '\t' : '\\');
    }
    return kit_all_of(&out);
}

static kit_line read_pair(kit_arena *memory, kit_text from) {
    size_t tab = kit_place_of(from, '\t');
    if (tab == from.size) kit_malformed("a line without a tab", KIT_TEXT(""));
    if (!kit_is_utf_8(from)) kit_malformed("a line that is not UTF-8", KIT_TEXT(""));
    return (kit_line){kit_between(from, 0, tab), unescaped(memory, kit_between(from, tab + 1, from.size)), false};
}

static int by_key(const void *a, const void *b) { return kit_compare(((const kit_line *)a)->key, ((const kit_line *)b)->key); }

static void append(kit_message *to, size_t *room, kit_line one) {
    if (to->count == *room) {
        *room = 2 * *room + 16;
        kit_line *moved = kit_take(to->memory, *room, sizeof *moved);
        if (to->count != 0) memcpy(moved, to->lines, to->count * sizeof *moved);
        to->lines = moved;
    }
    to->lines[to->count++] = one;
}

bool kit_read_message(kit_arena *memory, kit_message *to) {
    kit_text from;
    size_t room = 0;
    *to = (kit_message){.memory = memory};
    for (;;) {
        if (!read_line(memory, &from)) {
            if (to->count != 0) kit_malformed("the input ends inside a message", KIT_TEXT(""));
            return false;
        }
        if (from.size == 0) break;
        append(to, &room, read_pair(memory, from));
    }
    if (to->count == 0) kit_malformed("a message without lines", KIT_TEXT(""));
    qsort(to->lines, to->count, sizeof *to->lines, by_key);
    for (size_t i = 1; i < to->count; i++)
        if (kit_same(to->lines[i - 1].key, to->lines[i].key)) kit_malformed("a key is there twice", KIT_TEXT(""));
    return true;
}

static kit_line *line_at(const kit_message *in, kit_text key) {
    kit_line sought = {.key = key};
    return bsearch(&sought, in->lines, in->count, sizeof sought, by_key);
}

bool kit_has(const kit_message *in, kit_text key) { return line_at(in, key) != NULL; }

static kit_text value_at(const kit_message *in, kit_text key) {
    kit_line *found = line_at(in, key);
    if (found == NULL) kit_malformed("a member is missing", key);
    found->used = true;
    return found->value;
}

kit_text kit_text_at(const kit_message *in, const char *key) { return value_at(in, kit_from_c(key)); }

static kit_text under(const kit_message *in, kit_text key, kit_text step) {
    return KIT_JOINED(in->memory, key, KIT_TEXT("."), step);
}

static kit_text at_place(const kit_message *in, kit_text key, size_t place) {
    kit_buffer path = {.memory = in->memory};
    kit_add(&path, key);
    kit_add_char(&path, '.');
    kit_add_number(&path, place);
    return kit_all_of(&path);
}

/* The number of a list's elements: no more than the message has lines. */
static size_t count_at(const kit_message *in, kit_text key) {
    kit_text digits = value_at(in, key);
    size_t count = 0;
    if (!kit_all_digits(digits) || (digits.size > 1 && digits.at[0] == '0')) kit_malformed("a count is not a number", key);
    for (size_t i = 0; i < digits.size && count <= in->count; i++) count = count * 10 + (size_t)(digits.at[i] - '0');
    if (count > in->count) kit_malformed("a list has fewer elements than its count", key);
    return count;
}

kit_pairs kit_pairs_at(const kit_message *in, const char *key) {
    kit_text path = kit_from_c(key);
    kit_pairs list = {NULL, count_at(in, path)};
    list.at = kit_take(in->memory, list.count, sizeof *list.at);
    for (size_t i = 0; i < list.count; i++) {
        kit_text element = at_place(in, path, i);
        list.at[i] = (kit_pair){value_at(in, at_place(in, element, 0)), value_at(in, at_place(in, element, 1))};
    }
    return list;
}

static bool read_value(const kit_message *in, kit_text path, unsigned depth, kit_any_value *to);

/* Objects and the parameters themselves are pairs, lists are bare values. */
static bool read_items(const kit_message *in, kit_text path, kit_value_kind kind, unsigned depth, kit_parameters *to) {
    to->count = count_at(in, path);
    to->at = kit_take(in->memory, to->count, sizeof *to->at);
    for (size_t i = 0; i < to->count; i++) {
        kit_text element = at_place(in, path, i);
        bool has_name = kind == KIT_OBJECT_VALUE;
        to->at[i].name = has_name ? value_at(in, at_place(in, element, 0)) : KIT_TEXT("");
        if (!read_value(in, has_name ? at_place(in, element, 1) : element, depth, &to->at[i].value)) return false;
    }
    return true;
}

static bool read_tagged(const kit_message *in, kit_text path, kit_any_value *to) {
    const struct {
        kit_text tag;
        kit_value_kind kind;
    } kinds[] = {{KIT_TEXT("number"), KIT_NUMBER_VALUE}, {KIT_TEXT("boolean"), KIT_BOOLEAN_VALUE}, {KIT_TEXT("null"),
        KIT_NULL_VALUE}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        kit_text tagged = under(in, path, kinds[i].tag);
        if (!kit_has(in, tagged)) continue;
        *to = (kit_any_value){.kind = kinds[i].kind, .text = value_at(in, tagged)};
        if (to->kind == KIT_BOOLEAN_VALUE && !kit_same(to->text, KIT_TEXT("true")) && !kit_same(to->text, KIT_TEXT("false")))
            kit_malformed("a boolean is neither true nor false", path);
        return true;
    }
    return false;
}

static bool read_value(const kit_message *in, kit_text path, unsigned depth, kit_any_value *to) {
    *to = (kit_any_value){.kind = KIT_TEXT_VALUE};
    if (kit_has(in, path)) {
        to->text = value_at(in, path);
        return true;
    }
    if (read_tagged(in, path, to)) return true;
    kit_text list = under(in, path, KIT_TEXT("list"));
    to->kind = kit_has(in, list) ? KIT_LIST_VALUE : KIT_OBJECT_VALUE;
    if (depth == KIT_MOST_LEVELS) return false;
    return read_items(in, to->kind == KIT_LIST_VALUE ? list : under(in, path, KIT_TEXT("object")), to->kind, depth + 1, &to->items);
}

bool kit_parameters_at(const kit_message *in, const char *key, kit_parameters *to) {
    return read_items(in, kit_from_c(key), KIT_OBJECT_VALUE, 0, to);
}

kit_content kit_content_at(const kit_message *in, const char *key) {
    kit_content of = {.path = NULL};
    kit_text file = under(in, kit_from_c(key), KIT_TEXT("file"));
    if (kit_has(in, file)) {
        of.path = KIT_JOINED(in->memory, value_at(in, file), KIT_TEXT("\0")).at;
        return of;
    }
    kit_text bytes = under(in, kit_from_c(key), KIT_TEXT("bytes"));
    if (!kit_base_64_decoded(in->memory, value_at(in, bytes), &of.bytes)) kit_malformed("not Base64", bytes);
    return of;
}

void kit_all_used(const kit_message *in) {
    for (size_t i = 0; i < in->count; i++)
        if (!in->lines[i].used) kit_malformed("a key that no member has and no list counts", KIT_TEXT(""));
}

void kit_add_line(kit_buffer *to, kit_text key, kit_text value) {
    kit_add(to, key);
    kit_add_char(to, '\t');
    for (size_t i = 0; i < value.size; i++) {
        char c = value.at[i];
        if (c == '\n' || c == '\t' || c == '\\')
            kit_add(to, (kit_text){(const char[]){'\\', c == '\n' ? 'n' : c == '\t' ? 't' : c}, 2});
        else kit_add_char(to, c);
    }
    kit_add_char(to, '\n');
}

void kit_write_message(FILE *to, const kit_buffer *lines) {
    fwrite(lines->at, 1, lines->size, to);
    putc('\n', to);
    if (fflush(to) == 0) return;
    fputs("adapter: the reply cannot be written\n", stderr);
    exit(EXIT_FAILURE);
}
