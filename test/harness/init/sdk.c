/* Stands for an SDK: signs a request by 5.2 and refuses what HTTP cannot carry. */
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <stdlib.h>
#include <string.h>

#include "encoding.h"
#include "operations.h"

static bool is_token(text of) {
    for (size_t i = 0; i < of.size; i++) {
        char c = lower(of.at[i]);
        if (!(c >= 'a' && c <= 'z') && !is_digit(c) && (c == '\0' || !strchr("!#$%&'*+.^_`|~-", c))) return false;
    }
    return of.size != 0;
}

static text changed(arena *memory, text of, char change(char)) {
    buffer out = {.memory = memory};
    for (size_t i = 0; i < of.size; i++) add_char(&out, change(of.at[i]));
    return all_of(&out);
}

/* Behind the blanks, line ends and blanks that make a fold; 0 where there is none. */
static size_t behind_fold(text in, size_t at) {
    size_t behind = 0;
    while (at < in.size && is_blank(in.at[at])) at++;
    for (;;) {
        size_t next = at;
        if (next < in.size && in.at[next] == '\r') next++;
        if (next + 1 >= in.size || in.at[next] != '\n' || !is_blank(in.at[next + 1])) return behind;
        for (at = next + 1; at < in.size && is_blank(in.at[at]);) at++;
        behind = at;
    }
}

static text unfolded(arena *memory, text of) {
    buffer out = {.memory = memory};
    for (size_t i = 0; i < of.size;) {
        size_t behind = behind_fold(of, i);
        add_char(&out, behind == 0 ? of.at[i] : ' ');
        i = behind == 0 ? i + 1 : behind;
    }
    return without_blanks_around(all_of(&out));
}

static int by_name(const void *a, const void *b) {
    const pair *const *left = a, *const *right = b;
    int order = compare((*left)->name, (*right)->name);
    return order != 0 ? order : (*left > *right) - (*left < *right);
}

/* The values of a name, joined by commas. */
static text values_of(arena *memory, pairs headers, text name) {
    buffer out = {.memory = memory};
    bool first = true;
    for (size_t i = 0; i < headers.count; i++) {
        if (!same(headers.at[i].name, name)) continue;
        if (!first) add_char(&out, ',');
        add(&out, headers.at[i].value);
        first = false;
    }
    return all_of(&out);
}

static void add_extra(buffer *to, pairs headers, text prefix) {
    const pair **sorted = take(to->memory, headers.count + 1, sizeof *sorted);
    size_t count = 0;
    for (size_t i = 0; i < headers.count; i++)
        if (starts_with(headers.at[i].name, prefix)) sorted[count++] = &headers.at[i];
    qsort(sorted, count, sizeof *sorted, by_name);
    for (size_t i = 0; i < count; i++) {
        if (i > 0 && same(sorted[i]->name, sorted[i - 1]->name)) continue;
        text line[] = {sorted[i]->name, TEXT(":"), values_of(to->memory, headers, sorted[i]->name), TEXT("\n")};
        add(to, joined(to->memory, line, 4));
    }
}

bool sdk_authorization(question *q, text *value);

bool sdk_authorization(question *q, text *value) {
    arena *memory = q->by.memory;
    text method = text_at(q->asked, "input.method"), bucket = text_at(q->asked, "input.bucket");
    pairs headers = pairs_at(q->asked, "input.headers");
    text key = text_at(q->asked, "input.key");
    if (!is_token(method)) return refuse(&q->by, "method", "no");
    if (bucket.size == 0 || place_of(bucket, '/') != bucket.size) return refuse(&q->by, "bucket", "no");
    for (size_t i = 0; i < headers.count; i++) {
        pair *header = &headers.at[i];
        header->name = changed(memory, without_blanks_around(header->name), lower);
        header->value = unfolded(memory, header->value);
        if (!is_token(header->name)) return refuse(&q->by, "header-name", "no");
        for (size_t c = 0; c < header->value.size; c++)
            if (memchr("\r\n", header->value.at[c], 3)) return refuse(&q->by, "header-value", "no");
    }
    buffer string = {.memory = memory};
    const text lines[] = {TEXT("content-md5"), TEXT("content-type"), TEXT("date")};
    add(&string, changed(memory, method, upper));
    add_char(&string, '\n');
    for (size_t i = 0; i < 3; i++) {
        add(&string, values_of(memory, headers, lines[i]));
        add_char(&string, '\n');
    }
    add_extra(&string, headers, changed(memory, q->by.words.header_prefix, lower));
    add(&string, JOINED(memory, TEXT("/"), bucket, TEXT("/"), key));
    unsigned char digest[20];
    HMAC(EVP_sha1(), q->by.keys.private_key.at, (int)q->by.keys.private_key.size, (unsigned char *)string.at, string.size,
         digest, NULL);
    text signature = base_64(memory, (text){(char *)digest, sizeof digest});
    *value = JOINED(memory, q->by.words.scheme, TEXT(" "), q->by.keys.public_key, TEXT(":"), signature);
    return true;
}
