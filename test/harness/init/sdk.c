/* Stands for an SDK: signs a request by 5.2 and refuses what HTTP cannot carry. It is an untidy one: it prints, is
   compiled with warnings where they are on, and has names that a kit might have. */
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <stdlib.h>
#include <string.h>

#include "encoding.h"
#include "operations.h"

int is_blank, take, add, text_at, NAME, OPERATIONS;
typedef int text, buffer, message, pair;
#define TEXT_VALUE "mine"

void lower(void) {}

/* The parameter is not used, the variable is hidden, a path ends without a value, and strdup is not in C11. */
static int untidy(int unused) {
    int size = 1;
    for (int size = 0; size < 1; size++) free(strdup("text"));
    puts("a line of the SDK");
    fflush(stdout);
    if (size == 1) return 1;
}

static bool is_token(kit_text of) {
    for (size_t i = 0; i < of.size; i++) {
        char c = kit_lower(of.at[i]);
        if (!(c >= 'a' && c <= 'z') && !kit_is_digit(c) && (c == '\0' || !strchr("!#$%&'*+.^_`|~-", c))) return false;
    }
    return of.size != 0;
}

static kit_text changed(kit_arena *memory, kit_text of, char change(char)) {
    kit_buffer out = {.memory = memory};
    for (size_t i = 0; i < of.size; i++) kit_add_char(&out, change(of.at[i]));
    return kit_all_of(&out);
}

/* Behind the blanks, line ends and blanks that make a fold; 0 where there is none. */
static size_t behind_fold(kit_text in, size_t at) {
    size_t behind = 0;
    while (at < in.size && kit_is_blank(in.at[at])) at++;
    for (;;) {
        size_t next = at;
        if (next < in.size && in.at[next] == '\r') next++;
        if (next + 1 >= in.size || in.at[next] != '\n' || !kit_is_blank(in.at[next + 1])) return behind;
        for (at = next + 1; at < in.size && kit_is_blank(in.at[at]);) at++;
        behind = at;
    }
}

static kit_text unfolded(kit_arena *memory, kit_text of) {
    kit_buffer out = {.memory = memory};
    for (size_t i = 0; i < of.size;) {
        size_t behind = behind_fold(of, i);
        kit_add_char(&out, behind == 0 ? of.at[i] : ' ');
        i = behind == 0 ? i + 1 : behind;
    }
    return kit_without_blanks_around(kit_all_of(&out));
}

static int by_name(const void *a, const void *b) {
    const kit_pair *const *left = a, *const *right = b;
    int order = kit_compare((*left)->name, (*right)->name);
    return order != 0 ? order : (*left > *right) - (*left < *right);
}

/* The values of a name, joined by commas. */
static kit_text values_of(kit_arena *memory, kit_pairs headers, kit_text name) {
    kit_buffer out = {.memory = memory};
    bool first = true;
    for (size_t i = 0; i < headers.count; i++) {
        if (!kit_same(headers.at[i].name, name)) continue;
        if (!first) kit_add_char(&out, ',');
        kit_add(&out, headers.at[i].value);
        first = false;
    }
    return kit_all_of(&out);
}

static void add_extra(kit_buffer *to, kit_pairs headers, kit_text prefix) {
    const kit_pair **sorted = kit_take(to->memory, headers.count + 1, sizeof *sorted);
    size_t count = 0;
    for (size_t i = 0; i < headers.count; i++)
        if (kit_starts_with(headers.at[i].name, prefix)) sorted[count++] = &headers.at[i];
    qsort(sorted, count, sizeof *sorted, by_name);
    for (size_t i = 0; i < count; i++) {
        if (i > 0 && kit_same(sorted[i]->name, sorted[i - 1]->name)) continue;
        kit_text line[] = {sorted[i]->name, KIT_TEXT(":"), values_of(to->memory, headers, sorted[i]->name), KIT_TEXT("\n")};
        kit_add(to, kit_joined(to->memory, line, 4));
    }
}

bool sdk_authorization(kit_question *q, kit_text *value);

bool sdk_authorization(kit_question *q, kit_text *value) {
    kit_arena *memory = q->by.memory;
    if (untidy(0) != 1) return kit_broken(&q->by, "untidy");
    const char *scheme = kit_c_string(memory, q->by.words.scheme);
    if (scheme == NULL || strlen(scheme) != q->by.words.scheme.size || kit_c_string(memory, KIT_TEXT("a\0b")) != NULL)
        return kit_broken(&q->by, "a text is not what C has");
    kit_text method = kit_text_at(q->asked, "input.method"), bucket = kit_text_at(q->asked, "input.bucket");
    kit_pairs headers = kit_pairs_at(q->asked, "input.headers");
    kit_text key = kit_text_at(q->asked, "input.key");
    if (!is_token(method)) return kit_refuse(&q->by, "method", "no");
    if (bucket.size == 0 || kit_place_of(bucket, '/') != bucket.size) return kit_refuse(&q->by, "bucket", "no");
    for (size_t i = 0; i < headers.count; i++) {
        kit_pair *header = &headers.at[i];
        header->name = changed(memory, kit_without_blanks_around(header->name), kit_lower);
        header->value = unfolded(memory, header->value);
        if (!is_token(header->name)) return kit_refuse(&q->by, "header-name", "no");
        for (size_t c = 0; c < header->value.size; c++)
            if (memchr("\r\n", header->value.at[c], 3)) return kit_refuse(&q->by, "header-value", "no");
    }
    kit_buffer string = {.memory = memory};
    const kit_text lines[] = {KIT_TEXT("content-md5"), KIT_TEXT("content-type"), KIT_TEXT("date")};
    kit_add(&string, changed(memory, method, kit_upper));
    kit_add_char(&string, '\n');
    for (size_t i = 0; i < 3; i++) {
        kit_add(&string, values_of(memory, headers, lines[i]));
        kit_add_char(&string, '\n');
    }
    add_extra(&string, headers, changed(memory, q->by.words.header_prefix, kit_lower));
    kit_add(&string, KIT_JOINED(memory, KIT_TEXT("/"), bucket, KIT_TEXT("/"), key));
    unsigned char digest[20];
    HMAC(EVP_sha1(), q->by.keys.private_key.at, (int)q->by.keys.private_key.size, (unsigned char *)string.at, string.size,
         digest, NULL);
    kit_text signature = kit_base_64(memory, (kit_text){(char *)digest, sizeof digest});
    *value = KIT_JOINED(memory, kit_from_c(scheme), KIT_TEXT(" "), q->by.keys.public_key, KIT_TEXT(":"), signature);
    return true;
}
