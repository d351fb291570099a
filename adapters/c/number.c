/* 5.1: numbers as plain decimal text. */
#include "signing.h"

/* A number may be longer than this as it is written, but not by its exponent. */
enum { MOST_ZEROS = 100000 };

/* The parts of a number of JSON. */
typedef struct {
    bool negative;
    kit_text whole, fraction;
    long exponent;
} number;

static kit_text digits_at(kit_text in, size_t *at) {
    size_t start = *at;
    while (*at < in.size && kit_is_digit(in.at[*at])) ++*at;
    return kit_between(in, start, *at);
}

static bool comes(kit_text in, size_t *at, char c) {
    if (*at == in.size || in.at[*at] != c) return false;
    ++*at;
    return true;
}

/* Held at a value that no number with so many zeros has, however long its exponent is written. */
static long value_of(kit_text digits) {
    long most = 1000L * MOST_ZEROS, sum = 0;
    for (size_t i = 0; i < digits.size && sum < most; i++) sum = sum * 10 + (digits.at[i] - '0');
    return sum < most ? sum : most;
}

static bool exponent_at(kit_text in, size_t *at, long *exponent) {
    bool negative = comes(in, at, '-');
    if (!negative) comes(in, at, '+');
    kit_text digits = digits_at(in, at);
    *exponent = negative ? -value_of(digits) : value_of(digits);
    return digits.size != 0;
}

static bool read_number(kit_text from, number *to) {
    size_t at = 0;
    *to = (number){.negative = comes(from, &at, '-')};
    to->whole = digits_at(from, &at);
    if (to->whole.size == 0 || (to->whole.size > 1 && to->whole.at[0] == '0')) return false;
    if (comes(from, &at, '.')) {
        to->fraction = digits_at(from, &at);
        if (to->fraction.size == 0) return false;
    }
    if (comes(from, &at, 'e') || comes(from, &at, 'E'))
        if (!exponent_at(from, &at, &to->exponent)) return false;
    return at == from.size;
}

bool plain_decimal(kit_arena *memory, kit_text digits, kit_text *decimal) {
    number parts;
    if (!read_number(digits, &parts)) return false;
    kit_text all = KIT_JOINED(memory, parts.whole, parts.fraction);
    /* How many digits stand before the point: fewer than none for 0.001. */
    long point = (long)parts.whole.size + parts.exponent;
    for (; all.size != 0 && all.at[0] == '0'; point--) all = kit_between(all, 1, all.size);
    while (all.size != 0 && all.at[all.size - 1] == '0') all.size--;
    *decimal = KIT_TEXT("0");
    if (all.size == 0) return true;
    if (parts.exponent > MOST_ZEROS || parts.exponent < -MOST_ZEROS) return false;

    kit_buffer out = {.memory = memory};
    if (parts.negative) kit_add_char(&out, '-');
    if (point <= 0) {
        kit_add(&out, KIT_TEXT("0."));
        kit_add_times(&out, '0', (size_t)-point);
        kit_add(&out, all);
    } else if ((size_t)point >= all.size) {
        kit_add(&out, all);
        kit_add_times(&out, '0', (size_t)point - all.size);
    } else {
        kit_add(&out, kit_between(all, 0, (size_t)point));
        kit_add_char(&out, '.');
        kit_add(&out, kit_between(all, (size_t)point, all.size));
    }
    *decimal = kit_all_of(&out);
    return true;
}
