#include "encoding.h"

#include <limits.h>
#include <openssl/evp.h>
#include <string.h>

static bool is_unreserved(char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || kit_is_digit(c) || c == '-' || c == '_' || c == '.' || c == '~';
}

static kit_text percent_encoded(kit_arena *memory, kit_text of, bool keeps_slashes) {
    static const char DIGITS[] = "0123456789ABCDEF";
    kit_buffer encoded = {.memory = memory};
    for (size_t i = 0; i < of.size; i++) {
        unsigned char byte = (unsigned char)of.at[i];
        if (is_unreserved(of.at[i]) || (keeps_slashes && byte == '/')) kit_add_char(&encoded, of.at[i]);
        else kit_add(&encoded, (kit_text){(const char[]){'%', DIGITS[byte >> 4], DIGITS[byte & 15]}, 3});
    }
    return kit_all_of(&encoded);
}

kit_text kit_url_encoded(kit_arena *memory, kit_text of) { return percent_encoded(memory, of, false); }

kit_text kit_path_encoded(kit_arena *memory, kit_text of) { return percent_encoded(memory, of, true); }

/* The value of a hexadecimal digit of either case; -1 for anything else. */
static int digit_value(char c) {
    if (kit_is_digit(c)) return c - '0';
    char small = kit_lower(c);
    return small >= 'a' && small <= 'f' ? small - 'a' + 10 : -1;
}

bool kit_url_decoded(kit_arena *memory, kit_text of, kit_text *decoded) {
    kit_buffer bytes = {.memory = memory};
    for (size_t i = 0; i < of.size; i++) {
        if (of.at[i] != '%') {
            kit_add_char(&bytes, of.at[i]);
            continue;
        }
        if (of.size - i < 3) return false;
        int high = digit_value(of.at[i + 1]), low = digit_value(of.at[i + 2]);
        if (high < 0 || low < 0) return false;
        kit_add_char(&bytes, (char)(high * 16 + low));
        i += 2;
    }
    *decoded = kit_all_of(&bytes);
    return kit_is_utf_8(*decoded);
}

kit_text kit_base_64(kit_arena *memory, kit_text of) {
    /* libcrypto counts in int; whole groups of three bytes need no padding. */
    const size_t most = 3 << 20;
    unsigned char *encoded = kit_take(memory, of.size / 3 * 4 + 5, 1);
    size_t size = 0;
    for (size_t at = 0; at < of.size; at += most) {
        size_t count = of.size - at < most ? of.size - at : most;
        size += (size_t)EVP_EncodeBlock(encoded + size, (const unsigned char *)of.at + at, (int)count);
    }
    return (kit_text){(const char *)encoded, size};
}

kit_text kit_base_64_url(kit_arena *memory, kit_text of) {
    kit_buffer encoded = {.memory = memory};
    kit_text standard = kit_base_64(memory, of);
    for (size_t i = 0; i < standard.size; i++) {
        char c = standard.at[i];
        kit_add_char(&encoded, c == '+' ? '-' : c == '/' ? '_' : c);
    }
    return kit_all_of(&encoded);
}

static size_t padding_of(kit_text of) {
    size_t count = 0;
    while (count < 2 && count < of.size && of.at[of.size - 1 - count] == '=') count++;
    return count;
}

bool kit_base_64_decoded(kit_arena *memory, kit_text of, kit_text *decoded) {
    size_t padding = padding_of(of);
    for (size_t i = 0; i < of.size - padding; i++)
        if (strchr("+/ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789", of.at[i]) == NULL || of.at[i] == '\0')
            return false;
    if (of.size % 4 != 0 || of.size > INT_MAX) return false;
    unsigned char *bytes = kit_take(memory, of.size / 4 * 3 + 1, 1);
    int size = of.size == 0 ? 0 : EVP_DecodeBlock(bytes, (const unsigned char *)of.at, (int)of.size);
    if (size < 0) return false;
    *decoded = (kit_text){(const char *)bytes, (size_t)size - padding};
    return true;
}

kit_text kit_hexadecimal(kit_arena *memory, kit_text of) {
    static const char DIGITS[] = "0123456789abcdef";
    kit_buffer digits = {.memory = memory};
    for (size_t i = 0; i < of.size; i++) {
        unsigned char byte = (unsigned char)of.at[i];
        kit_add_char(&digits, DIGITS[byte >> 4]);
        kit_add_char(&digits, DIGITS[byte & 15]);
    }
    return kit_all_of(&digits);
}

static void add_escape(kit_buffer *to, unsigned char control) {
    static const char DIGITS[] = "0123456789abcdef";
    const char *found = strchr("\bb\ff\nn\rr\tt", control);
    if (control != '\0' && found != NULL) kit_add(to, (kit_text){(const char[]){'\\', found[1]}, 2});
    else kit_add(to, (kit_text){(const char[]){'\\', 'u', '0', '0', DIGITS[control >> 4], DIGITS[control & 15]}, 6});
}

void kit_add_json_text(kit_buffer *to, kit_text of) {
    kit_add_char(to, '"');
    for (size_t i = 0; i < of.size; i++) {
        char c = of.at[i];
        if (c == '"' || c == '\\') kit_add(to, (kit_text){(const char[]){'\\', c}, 2});
        else if ((unsigned char)c < 0x20) add_escape(to, (unsigned char)c);
        else kit_add_char(to, c);
    }
    kit_add_char(to, '"');
}
