/* The JSON of a request's body (RFC 8259), with every digit of its numbers. */
#include <string.h>

#include "signing.h"

typedef struct {
    kit_arena *memory;
    kit_text in;
    size_t at;
    unsigned depth;
} reader;

static bool ends(const reader *r) { return r->at == r->in.size; }

static char next(const reader *r) { return ends(r) ? '\0' : r->in.at[r->at]; }

static void skip_space(reader *r) {
    while (!ends(r) && (kit_is_blank(next(r)) || next(r) == '\n' || next(r) == '\r')) r->at++;
}

static bool comes(reader *r, kit_text word) {
    if (!kit_starts_with(kit_between(r->in, r->at, r->in.size), word)) return false;
    r->at += word.size;
    return true;
}

static bool code_unit(reader *r, unsigned *unit) {
    *unit = 0;
    for (int i = 0; i < 4; i++, r->at++) {
        char c = kit_lower(next(r));
        if (kit_is_digit(c)) *unit = *unit * 16 + (unsigned)(c - '0');
        else if (c >= 'a' && c <= 'f') *unit = *unit * 16 + (unsigned)(c - 'a') + 10;
        else return false;
    }
    return true;
}

/* What follows `\u`: one code unit, or both halves of a pair; half a pair is no character. */
static bool character(reader *r, unsigned *c) {
    if (!code_unit(r, c) || (*c >= 0xDC00 && *c <= 0xDFFF)) return false;
    if (*c < 0xD800 || *c > 0xDFFF) return true;
    unsigned second;
    if (!comes(r, KIT_TEXT("\\u")) || !code_unit(r, &second) || second < 0xDC00 || second > 0xDFFF) return false;
    *c = 0x10000 + ((*c - 0xD800) << 10) + (second - 0xDC00);
    return true;
}

static void add_utf_8(kit_buffer *to, unsigned c) {
    if (c < 0x80) {
        kit_add_char(to, (char)c);
        return;
    }
    unsigned more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
    const unsigned char lead[] = {0, 0xC0, 0xE0, 0xF0};
    kit_add_char(to, (char)(lead[more] | (c >> (6 * more))));
    while (more-- > 0) kit_add_char(to, (char)(0x80 | ((c >> (6 * more)) & 0x3F)));
}

static bool escape(reader *r, kit_buffer *to) {
    static const char NAMES[] = "\"\\/bfnrt", MEANT[] = "\"\\/\b\f\n\r\t";
    char name = next(r);
    unsigned c;
    if (ends(r) || name == '\0') return false;
    r->at++;
    if (name == 'u') {
        if (!character(r, &c)) return false;
        add_utf_8(to, c);
        return true;
    }
    const char *found = strchr(NAMES, name);
    if (found == NULL) return false;
    kit_add_char(to, MEANT[found - NAMES]);
    return true;
}

static bool read_text(reader *r, kit_text *to) {
    kit_buffer out = {.memory = r->memory};
    if (!comes(r, KIT_TEXT("\""))) return false;
    while (!ends(r) && next(r) != '"') {
        if ((unsigned char)next(r) < 0x20) return false;
        if (comes(r, KIT_TEXT("\\"))) {
            if (!escape(r, &out)) return false;
        } else {
            kit_add_char(&out, r->in.at[r->at++]);
        }
    }
    *to = kit_all_of(&out);
    return comes(r, KIT_TEXT("\""));
}

static bool read_value(reader *r, kit_any_value *to);

static void append(reader *r, kit_parameters *items, size_t *room, kit_parameter item) {
    if (items->count == *room) {
        *room = 2 * *room + 4;
        kit_parameter *moved = kit_take(r->memory, *room, sizeof *moved);
        if (items->count != 0) memcpy(moved, items->at, items->count * sizeof *moved);
        items->at = moved;
    }
    items->at[items->count++] = item;
}

static bool read_items(reader *r, kit_any_value *to, kit_text end) {
    size_t room = 0;
    skip_space(r);
    if (comes(r, end)) return true;
    do {
        kit_parameter item = {.name = KIT_TEXT("")};
        skip_space(r);
        if (to->kind == KIT_OBJECT_VALUE) {
            if (!read_text(r, &item.name)) return false;
            skip_space(r);
            if (!comes(r, KIT_TEXT(":"))) return false;
        }
        if (!read_value(r, &item.value)) return false;
        append(r, &to->items, &room, item);
        skip_space(r);
    } while (comes(r, KIT_TEXT(",")));
    return comes(r, end);
}

static bool read_nested(reader *r, kit_any_value *to, kit_value_kind kind, kit_text end) {
    to->kind = kind;
    if (r->depth == KIT_MOST_LEVELS) return false;
    r->depth++;
    bool read = read_items(r, to, end);
    r->depth--;
    return read;
}

static bool read_digits(reader *r, kit_any_value *to) {
    size_t start = r->at;
    while (kit_is_digit(next(r)) || (next(r) != '\0' && strchr("+-.eE", next(r)) != NULL)) r->at++;
    to->kind = KIT_NUMBER_VALUE;
    to->text = kit_between(r->in, start, r->at);
    kit_text decimal;
    return plain_decimal(r->memory, to->text, &decimal);
}

static bool read_value(reader *r, kit_any_value *to) {
    *to = (kit_any_value){.kind = KIT_TEXT_VALUE, .text = KIT_TEXT("")};
    skip_space(r);
    if (next(r) == '"') return read_text(r, &to->text);
    if (comes(r, KIT_TEXT("{"))) return read_nested(r, to, KIT_OBJECT_VALUE, KIT_TEXT("}"));
    if (comes(r, KIT_TEXT("["))) return read_nested(r, to, KIT_LIST_VALUE, KIT_TEXT("]"));
    if (comes(r, KIT_TEXT("null"))) {
        to->kind = KIT_NULL_VALUE;
        return true;
    }
    bool yes = comes(r, KIT_TEXT("true"));
    if (!yes && !comes(r, KIT_TEXT("false"))) return read_digits(r, to);
    to->kind = KIT_BOOLEAN_VALUE;
    to->text = yes ? KIT_TEXT("true") : KIT_TEXT("false");
    return true;
}

bool read_json(kit_arena *memory, kit_text from, kit_any_value *to) {
    reader r = {.memory = memory, .in = from};
    if (!read_value(&r, to)) return false;
    skip_space(&r);
    return ends(&r);
}
