/* The adapter protocol: hello first, then one reply for each question. Keep it; operations.c is yours to replace. */
#include <stdlib.h>

#ifdef _WIN32
#include <fcntl.h>
#include <io.h>
#include <stdio.h>
#endif

#include "operations.h"

static void add_list(buffer *to, text key, size_t count) {
    buffer digits = {.memory = to->memory};
    add_number(&digits, count);
    add_line(to, key, all_of(&digits));
}

static void add_element(buffer *to, text list, size_t place, const char *value) {
    buffer key = {.memory = to->memory};
    add(&key, list);
    add_char(&key, '.');
    add_number(&key, place);
    add_line(to, all_of(&key), from_c(value));
}

static void write_hello(arena *memory) {
    buffer reply = {.memory = memory};
    add_line(&reply, TEXT("protocol"), TEXT("1"));
    add_line(&reply, TEXT("implementation.name"), from_c(NAME));
    add_line(&reply, TEXT("implementation.version"), from_c(VERSION));
    add_line(&reply, TEXT("implementation.language"), TEXT("c"));
    add_list(&reply, TEXT("operations"), OPERATION_COUNT);
    for (size_t i = 0; i < OPERATION_COUNT; i++) add_element(&reply, TEXT("operations"), i, OPERATIONS[i].name);
    add_list(&reply, TEXT("traces"), TRACE_COUNT);
    for (size_t i = 0; i < TRACE_COUNT; i++) add_element(&reply, TEXT("traces"), i, TRACES[i]);
    add_line(&reply, TEXT("window"), TEXT("64"));
    write_message(&reply);
}

/* The dialect, whose memory is kept to the end. */
static dialect read_hello(arena *memory) {
    message hello;
    if (!read_message(memory, &hello)) exit(EXIT_SUCCESS);
    if (!same(text_at(&hello, "protocol"), TEXT("1"))) malformed("this adapter speaks protocol 1", TEXT(""));
    dialect words = {
        text_at(&hello, "dialect.scheme"),
        text_at(&hello, "dialect.headerPrefix"),
        text_at(&hello, "dialect.publicKeyParameter"),
    };
    all_used(&hello);
    return words;
}

static const operation *operation_named(text name) {
    for (size_t i = 0; i < OPERATION_COUNT; i++)
        if (same(name, from_c(OPERATIONS[i].name))) return &OPERATIONS[i];
    return NULL;
}

static void add_decline(buffer *to, const signer *by) {
    if (by->reason == NULL) {
        add_line(to, TEXT("error"), from_c(by->message));
        return;
    }
    add_line(to, TEXT("refused.reason"), from_c(by->reason));
    add_line(to, TEXT("refused.message"), from_c(by->message));
}

static void reply_to(const message *asked, dialect words) {
    arena *memory = asked->memory;
    buffer reply = {.memory = memory};
    text n = text_at(asked, "n");
    if (!all_digits(n)) malformed("n is not a number", TEXT(""));
    add_line(&reply, TEXT("n"), n);
    key_pair keys = {text_at(asked, "keys.publicKey"), text_at(asked, "keys.privateKey")};
    question q = {{memory, keys, words, NULL, NULL}, asked, {.memory = memory}};
    const operation *asked_for = operation_named(text_at(asked, "operation"));
    if (asked_for == NULL) {
        add_line(&reply, TEXT("unsupported"), TEXT("true"));
    } else {
        bool answered = asked_for->answer(&q);
        if (answered) add(&reply, all_of(&q.answer));
        else add_decline(&reply, &q.by);
        /* What broke may not have been read to its end. */
        if (answered || q.by.reason != NULL) all_used(asked);
    }
    write_message(&reply);
}

int main(void) {
#ifdef _WIN32
    _setmode(_fileno(stdin), _O_BINARY);
    _setmode(_fileno(stdout), _O_BINARY);
#endif
    arena kept = {NULL}, memory = {NULL};
    dialect words = read_hello(&kept);
    write_hello(&kept);
    for (message asked; read_message(&memory, &asked); release(&memory)) reply_to(&asked, words);
    release(&memory);
    release(&kept);
    return EXIT_SUCCESS;
}
