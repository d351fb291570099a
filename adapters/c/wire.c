#include "wire.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "encoding.h"

enum { LONGEST_LINE = 8 * 1024 * 1024 };

void malformed(const char *what, text key) {
    fprintf(stderr, "adapter: malformed message: %s%s%.*s; see adapters/PROTOCOL.md\n", what, key.size ? ": " : "", (int)key.size, key.at);
    exit(EXIT_FAILURE);
}

/* Without its line feed; false at the end of the input. */
static bool read_line(arena *memory, text *to) {
    buffer bytes = {.memory = memory};
    int c;
    while ((c = getchar()) != EOF && c != '\n') {
        if (bytes.size == LONGEST_LINE) malformed("a line is longer than 8 MiB", TEXT(""));
        add_char(&bytes, (char)c);
    }
    *to = all_of(&bytes);
    if (c == EOF && bytes.size != 0) malformed("the input ends inside a line", TEXT(""));
    return c != EOF;
}

static text unescaped(arena *memory, text of) {
    buffer out = {.memory = memory};
    for (size_t i = 0; i < of.size; i++) {
        if (of.at[i] != '\\') {
            add_char(&out, of.at[i]);
            continue;
        }
        char name = ++i < of.size ? of.at[i] : '\0';
        if (name != 'n' && name != 't' && name != '\\') malformed("a backslash before something other than n, t and itself", TEXT(""));
        add_char(&out, name == 'n' ? '\n' : name == 't' ? '\t' : '\\');
    }
    return all_of(&out);
}

static line read_pair(arena *memory, text from) {
    size_t tab = place_of(from, '\t');
    if (tab == from.size) malformed("a line without a tab", TEXT(""));
    if (!is_utf_8(from)) malformed("a line that is not UTF-8", TEXT(""));
    return (line){between(from, 0, tab), unescaped(memory, between(from, tab + 1, from.size)), false};
}

static int by_key(const void *a, const void *b) { return compare(((const line *)a)->key, ((const line *)b)->key); }

static void append(message *to, size_t *room, line one) {
    if (to->count == *room) {
        *room = 2 * *room + 16;
        line *moved = take(to->memory, *room, sizeof *moved);
        if (to->count != 0) memcpy(moved, to->lines, to->count * sizeof *moved);
        to->lines = moved;
    }
    to->lines[to->count++] = one;
}

bool read_message(arena *memory, message *to) {
    text from;
    size_t room = 0;
    *to = (message){.memory = memory};
    for (;;) {
        if (!read_line(memory, &from)) {
            if (to->count != 0) malformed("the input ends inside a message", TEXT(""));
            return false;
        }
        if (from.size == 0) break;
        append(to, &room, read_pair(memory, from));
    }
    if (to->count == 0) malformed("a message without lines", TEXT(""));
    qsort(to->lines, to->count, sizeof *to->lines, by_key);
    for (size_t i = 1; i < to->count; i++)
        if (same(to->lines[i - 1].key, to->lines[i].key)) malformed("a key is there twice", TEXT(""));
    return true;
}

static line *line_at(const message *in, text key) {
    line sought = {.key = key};
    return bsearch(&sought, in->lines, in->count, sizeof sought, by_key);
}

bool has(const message *in, text key) { return line_at(in, key) != NULL; }

static text value_at(const message *in, text key) {
    line *found = line_at(in, key);
    if (found == NULL) malformed("a member is missing", key);
    found->used = true;
    return found->value;
}

text text_at(const message *in, const char *key) { return value_at(in, from_c(key)); }

static text under(const message *in, text key, text step) { return JOINED(in->memory, key, TEXT("."), step); }

static text at_place(const message *in, text key, size_t place) {
    buffer path = {.memory = in->memory};
    add(&path, key);
    add_char(&path, '.');
    add_number(&path, place);
    return all_of(&path);
}

/* The number of a list's elements: no more than the message has lines. */
static size_t count_at(const message *in, text key) {
    text digits = value_at(in, key);
    size_t count = 0;
    if (!all_digits(digits) || (digits.size > 1 && digits.at[0] == '0')) malformed("a count is not a number", key);
    for (size_t i = 0; i < digits.size && count <= in->count; i++) count = count * 10 + (size_t)(digits.at[i] - '0');
    if (count > in->count) malformed("a list has fewer elements than its count", key);
    return count;
}

pairs pairs_at(const message *in, const char *key) {
    text path = from_c(key);
    pairs list = {NULL, count_at(in, path)};
    list.at = take(in->memory, list.count, sizeof *list.at);
    for (size_t i = 0; i < list.count; i++) {
        text element = at_place(in, path, i);
        list.at[i] = (pair){value_at(in, at_place(in, element, 0)), value_at(in, at_place(in, element, 1))};
    }
    return list;
}

static bool read_value(const message *in, text path, unsigned depth, any_value *to);

/* Objects and the parameters themselves are pairs, lists are bare values. */
static bool read_items(const message *in, text path, value_kind kind, unsigned depth, parameters *to) {
    to->count = count_at(in, path);
    to->at = take(in->memory, to->count, sizeof *to->at);
    for (size_t i = 0; i < to->count; i++) {
        text element = at_place(in, path, i);
        bool has_name = kind == OBJECT_VALUE;
        to->at[i].name = has_name ? value_at(in, at_place(in, element, 0)) : TEXT("");
        if (!read_value(in, has_name ? at_place(in, element, 1) : element, depth, &to->at[i].value)) return false;
    }
    return true;
}

static bool read_tagged(const message *in, text path, any_value *to) {
    const struct {
        text tag;
        value_kind kind;
    } kinds[] = {{TEXT("number"), NUMBER_VALUE}, {TEXT("boolean"), BOOLEAN_VALUE}, {TEXT("null"), NULL_VALUE}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        text tagged = under(in, path, kinds[i].tag);
        if (!has(in, tagged)) continue;
        *to = (any_value){.kind = kinds[i].kind, .text = value_at(in, tagged)};
        if (to->kind == BOOLEAN_VALUE && !same(to->text, TEXT("true")) && !same(to->text, TEXT("false")))
            malformed("a boolean is neither true nor false", path);
        return true;
    }
    return false;
}

static bool read_value(const message *in, text path, unsigned depth, any_value *to) {
    *to = (any_value){.kind = TEXT_VALUE};
    if (has(in, path)) {
        to->text = value_at(in, path);
        return true;
    }
    if (read_tagged(in, path, to)) return true;
    text list = under(in, path, TEXT("list"));
    to->kind = has(in, list) ? LIST_VALUE : OBJECT_VALUE;
    if (depth == MOST_LEVELS) return false;
    return read_items(in, to->kind == LIST_VALUE ? list : under(in, path, TEXT("object")), to->kind, depth + 1, &to->items);
}

bool parameters_at(const message *in, const char *key, parameters *to) {
    return read_items(in, from_c(key), OBJECT_VALUE, 0, to);
}

content content_at(const message *in, const char *key) {
    content of = {.path = NULL};
    text file = under(in, from_c(key), TEXT("file"));
    if (has(in, file)) {
        of.path = JOINED(in->memory, value_at(in, file), TEXT("\0")).at;
        return of;
    }
    text bytes = under(in, from_c(key), TEXT("bytes"));
    if (!base_64_decoded(in->memory, value_at(in, bytes), &of.bytes)) malformed("not Base64", bytes);
    return of;
}

void all_used(const message *in) {
    for (size_t i = 0; i < in->count; i++)
        if (!in->lines[i].used) malformed("a key that no member has and no list counts", TEXT(""));
}

void add_line(buffer *to, text key, text value) {
    add(to, key);
    add_char(to, '\t');
    for (size_t i = 0; i < value.size; i++) {
        char c = value.at[i];
        if (c == '\n' || c == '\t' || c == '\\') add(to, (text){(const char[]){'\\', c == '\n' ? 'n' : c == '\t' ? 't' : c}, 2});
        else add_char(to, c);
    }
    add_char(to, '\n');
}

void write_message(const buffer *lines) {
    fwrite(lines->at, 1, lines->size, stdout);
    putchar('\n');
    if (fflush(stdout) == 0) return;
    fputs("adapter: the reply cannot be written\n", stderr);
    exit(EXIT_FAILURE);
}
