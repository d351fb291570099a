#include "encoding.h"

#include <limits.h>
#include <openssl/evp.h>
#include <string.h>

static bool is_unreserved(char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || is_digit(c) || c == '-' || c == '_' || c == '.' || c == '~';
}

static text percent_encoded(arena *memory, text of, bool keeps_slashes) {
    static const char DIGITS[] = "0123456789ABCDEF";
    buffer encoded = {.memory = memory};
    for (size_t i = 0; i < of.size; i++) {
        unsigned char byte = (unsigned char)of.at[i];
        if (is_unreserved(of.at[i]) || (keeps_slashes && byte == '/')) add_char(&encoded, of.at[i]);
        else add(&encoded, (text){(const char[]){'%', DIGITS[byte >> 4], DIGITS[byte & 15]}, 3});
    }
    return all_of(&encoded);
}

text url_encoded(arena *memory, text of) { return percent_encoded(memory, of, false); }

text path_encoded(arena *memory, text of) { return percent_encoded(memory, of, true); }

/* The value of a hexadecimal digit of either case; -1 for anything else. */
static int digit_value(char c) {
    if (is_digit(c)) return c - '0';
    char small = lower(c);
    return small >= 'a' && small <= 'f' ? small - 'a' + 10 : -1;
}

bool url_decoded(arena *memory, text of, text *decoded) {
    buffer bytes = {.memory = memory};
    for (size_t i = 0; i < of.size; i++) {
        if (of.at[i] != '%') {
            add_char(&bytes, of.at[i]);
            continue;
        }
        if (of.size - i < 3) return false;
        int high = digit_value(of.at[i + 1]), low = digit_value(of.at[i + 2]);
        if (high < 0 || low < 0) return false;
        add_char(&bytes, (char)(high * 16 + low));
        i += 2;
    }
    *decoded = all_of(&bytes);
    return is_utf_8(*decoded);
}

text base_64(arena *memory, text of) {
    /* libcrypto counts in int; whole groups of three bytes need no padding. */
    const size_t most = 3 << 20;
    unsigned char *encoded = take(memory, of.size / 3 * 4 + 5, 1);
    size_t size = 0;
    for (size_t at = 0; at < of.size; at += most) {
        size_t count = of.size - at < most ? of.size - at : most;
        size += (size_t)EVP_EncodeBlock(encoded + size, (const unsigned char *)of.at + at, (int)count);
    }
    return (text){(const char *)encoded, size};
}

text base_64_url(arena *memory, text of) {
    buffer encoded = {.memory = memory};
    text standard = base_64(memory, of);
    for (size_t i = 0; i < standard.size; i++) {
        char c = standard.at[i];
        add_char(&encoded, c == '+' ? '-' : c == '/' ? '_' : c);
    }
    return all_of(&encoded);
}

static size_t padding_of(text of) {
    size_t count = 0;
    while (count < 2 && count < of.size && of.at[of.size - 1 - count] == '=') count++;
    return count;
}

bool base_64_decoded(arena *memory, text of, text *decoded) {
    size_t padding = padding_of(of);
    for (size_t i = 0; i < of.size - padding; i++)
        if (strchr("+/ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789", of.at[i]) == NULL || of.at[i] == '\0')
            return false;
    if (of.size % 4 != 0 || of.size > INT_MAX) return false;
    unsigned char *bytes = take(memory, of.size / 4 * 3 + 1, 1);
    int size = of.size == 0 ? 0 : EVP_DecodeBlock(bytes, (const unsigned char *)of.at, (int)of.size);
    if (size < 0) return false;
    *decoded = (text){(const char *)bytes, (size_t)size - padding};
    return true;
}

text hexadecimal(arena *memory, text of) {
    static const char DIGITS[] = "0123456789abcdef";
    buffer digits = {.memory = memory};
    for (size_t i = 0; i < of.size; i++) {
        unsigned char byte = (unsigned char)of.at[i];
        add_char(&digits, DIGITS[byte >> 4]);
        add_char(&digits, DIGITS[byte & 15]);
    }
    return all_of(&digits);
}

static void add_escape(buffer *to, unsigned char control) {
    static const char DIGITS[] = "0123456789abcdef";
    const char *found = strchr("\bb\ff\nn\rr\tt", control);
    if (control != '\0' && found != NULL) add(to, (text){(const char[]){'\\', found[1]}, 2});
    else add(to, (text){(const char[]){'\\', 'u', '0', '0', DIGITS[control >> 4], DIGITS[control & 15]}, 6});
}

void add_json_text(buffer *to, text of) {
    add_char(to, '"');
    for (size_t i = 0; i < of.size; i++) {
        char c = of.at[i];
        if (c == '"' || c == '\\') add(to, (text){(const char[]){'\\', c}, 2});
        else if ((unsigned char)c < 0x20) add_escape(to, (unsigned char)c);
        else add_char(to, c);
    }
    add_char(to, '"');
}
