/* The adapter protocol: hello first, then one reply for each question. Keep it; operations.c is yours to replace. */
#ifndef _WIN32
#define _POSIX_C_SOURCE 200809L
#include <unistd.h>
#endif

#include <stdio.h>
#include <stdlib.h>

#ifdef _WIN32
#include <fcntl.h>
#include <io.h>
#define dup _dup
#define dup2 _dup2
#define fdopen _fdopen
#define fileno _fileno
#endif

#include "operations.h"

static void add_list(kit_buffer *to, kit_text key, size_t count) {
    kit_buffer digits = {.memory = to->memory};
    kit_add_number(&digits, count);
    kit_add_line(to, key, kit_all_of(&digits));
}

static void add_element(kit_buffer *to, kit_text list, size_t place, const char *value) {
    kit_buffer key = {.memory = to->memory};
    kit_add(&key, list);
    kit_add_char(&key, '.');
    kit_add_number(&key, place);
    kit_add_line(to, kit_all_of(&key), kit_from_c(value));
}

static void write_hello(FILE *to, kit_arena *memory) {
    kit_buffer reply = {.memory = memory};
    kit_add_line(&reply, KIT_TEXT("protocol"), KIT_TEXT("1"));
    kit_add_line(&reply, KIT_TEXT("implementation.name"), kit_from_c(KIT_NAME));
    kit_add_line(&reply, KIT_TEXT("implementation.version"), kit_from_c(KIT_VERSION));
    kit_add_line(&reply, KIT_TEXT("implementation.language"), KIT_TEXT("c"));
    add_list(&reply, KIT_TEXT("operations"), KIT_OPERATION_COUNT);
    for (size_t i = 0; i < KIT_OPERATION_COUNT; i++) add_element(&reply, KIT_TEXT("operations"), i, KIT_OPERATIONS[i].name);
    add_list(&reply, KIT_TEXT("traces"), KIT_TRACE_COUNT);
    for (size_t i = 0; i < KIT_TRACE_COUNT; i++) add_element(&reply, KIT_TEXT("traces"), i, KIT_TRACES[i]);
    kit_add_line(&reply, KIT_TEXT("window"), KIT_TEXT("64"));
    kit_write_message(to, &reply);
}

/* The dialect, whose memory is kept to the end. */
static kit_dialect read_hello(kit_arena *memory) {
    kit_message hello;
    if (!kit_read_message(memory, &hello)) exit(EXIT_SUCCESS);
    if (!kit_same(kit_text_at(&hello, "protocol"), KIT_TEXT("1"))) kit_malformed("this adapter speaks protocol 1", KIT_TEXT(""));
    kit_dialect words = {
        kit_text_at(&hello, "dialect.scheme"),
        kit_text_at(&hello, "dialect.headerPrefix"),
        kit_text_at(&hello, "dialect.publicKeyParameter"),
    };
    kit_all_used(&hello);
    return words;
}

static const kit_operation *operation_named(kit_text name) {
    for (size_t i = 0; i < KIT_OPERATION_COUNT; i++)
        if (kit_same(name, kit_from_c(KIT_OPERATIONS[i].name))) return &KIT_OPERATIONS[i];
    return NULL;
}

static void add_decline(kit_buffer *to, const kit_signer *by) {
    if (by->reason == NULL) {
        kit_add_line(to, by->is_unsupported ? KIT_TEXT("unsupported") : KIT_TEXT("error"), kit_from_c(by->message));
        return;
    }
    kit_add_line(to, KIT_TEXT("refused.reason"), kit_from_c(by->reason));
    kit_add_line(to, KIT_TEXT("refused.message"), kit_from_c(by->message));
}

static void reply_to(FILE *to, const kit_message *asked, kit_dialect words) {
    kit_arena *memory = asked->memory;
    kit_buffer reply = {.memory = memory};
    kit_text n = kit_text_at(asked, "n");
    if (!kit_all_digits(n)) kit_malformed("n is not a number", KIT_TEXT(""));
    kit_add_line(&reply, KIT_TEXT("n"), n);
    kit_key_pair keys = {kit_text_at(asked, "keys.publicKey"), kit_text_at(asked, "keys.privateKey")};
    kit_question q = {{memory, keys, words, NULL, NULL, false}, asked, {.memory = memory}};
    const kit_operation *asked_for = operation_named(kit_text_at(asked, "operation"));
    if (asked_for == NULL) {
        kit_add_line(&reply, KIT_TEXT("unsupported"), KIT_TEXT("true"));
    } else {
        bool answered = asked_for->answer(&q);
        if (answered) kit_add(&reply, kit_all_of(&q.answer));
        else add_decline(&reply, &q.by);
        /* What broke may not have been read to its end. */
        if (answered || q.by.reason != NULL) kit_all_used(asked);
    }
    kit_write_message(to, &reply);
}

/* Standard output for the replies alone: what an SDK prints goes to standard error. */
static FILE *replies(void) {
    int copy = dup(fileno(stdout));
    FILE *to = copy < 0 || dup2(fileno(stderr), fileno(stdout)) < 0 ? NULL : fdopen(copy, "wb");
    if (to == NULL) {
        perror("adapter: standard output cannot be kept for the replies");
        exit(EXIT_FAILURE);
    }
    return to;
}

int main(void) {
    FILE *to = replies();
#ifdef _WIN32
    _setmode(_fileno(stdin), _O_BINARY);
    _setmode(_fileno(to), _O_BINARY);
#endif
    kit_arena kept = {NULL}, memory = {NULL};
    kit_dialect words = read_hello(&kept);
    write_hello(to, &kept);
    for (kit_message asked; kit_read_message(&memory, &asked); kit_release(&memory)) reply_to(to, &asked, words);
    kit_release(&memory);
    kit_release(&kept);
    return EXIT_SUCCESS;
}
