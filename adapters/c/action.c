/* Bucket management and the Action API: 4.1, 4.2, 5.1 and the query form of 5.3. */
#include <openssl/evp.h>
#include <stdlib.h>

#include "encoding.h"
#include "signing.h"

text password_value(arena *memory, text clear) { return base_64(memory, clear); }

static size_t leaves_in(parameters of) {
    size_t count = 0;
    for (size_t i = 0; i < of.count; i++) {
        value_kind kind = of.at[i].value.kind;
        count += kind == LIST_VALUE || kind == OBJECT_VALUE ? leaves_in(of.at[i].value.items) : 1;
    }
    return count;
}

static bool flatten(signer *by, text name, any_value of, action_stages *to);

/* The items of a list under their places, those of an object under their names. */
static bool flatten_items(signer *by, text name, any_value of, action_stages *to) {
    for (size_t i = 0; i < of.items.count; i++) {
        buffer path = {.memory = by->memory};
        add(&path, name);
        add_char(&path, '.');
        if (of.kind == LIST_VALUE) add_number(&path, i);
        else add(&path, of.items.at[i].name);
        if (!flatten(by, all_of(&path), of.items.at[i].value, to)) return false;
    }
    return true;
}

static bool flatten(signer *by, text name, any_value of, action_stages *to) {
    switch (of.kind) {
        case LIST_VALUE:
        case OBJECT_VALUE: return flatten_items(by, name, of, to);
        /* A silence: this project refuses what it would have to leave out. */
        case NULL_VALUE: return refuse(by, "parameter-null", "a parameter is null; section 5.1 has no text for it");
        case NUMBER_VALUE:
            if (!plain_decimal(by->memory, of.text, &of.text))
                return refuse(by, "number", "a number has no plain decimal text (section 5.1 step 3)");
            break;
        case TEXT_VALUE:
        case BOOLEAN_VALUE: break;
    }
    to->sorted[to->count++] = (leaf){name, of.text, of.kind};
    return true;
}

static int by_name(const void *a, const void *b) { return compare(((const leaf *)a)->name, ((const leaf *)b)->name); }

bool sort_parameters(signer *by, parameters of, action_stages *stages) {
    stages->sorted = take(by->memory, leaves_in(of) + 1, sizeof *stages->sorted);
    stages->count = 0;
    for (size_t i = 0; i < of.count; i++) {
        if (same(of.at[i].name, TEXT("Signature"))) continue; /* R2 */
        if (!flatten(by, of.at[i].name, of.at[i].value, stages)) return false;
    }
    qsort(stages->sorted, stages->count, sizeof *stages->sorted, by_name);
    for (size_t i = 1; i < stages->count; i++)
        if (same(stages->sorted[i - 1].name, stages->sorted[i].name))
            return refuse(by, "parameter-repeated", "a parameter is there twice; section 5.1 signs a set");
    return true;
}

bool sign_parameters(signer *by, action_stages *stages) {
    buffer string = {.memory = by->memory};
    for (size_t i = 0; i < stages->count; i++) {
        add(&string, stages->sorted[i].name);
        add(&string, stages->sorted[i].value);
    }
    add(&string, by->keys.private_key); /* step 4 */
    stages->string_to_sign = all_of(&string);
    unsigned char digest[SHA_1_SIZE];
    if (!EVP_Digest(stages->string_to_sign.at, stages->string_to_sign.size, digest, NULL, EVP_sha1(), NULL))
        return broken(by, "libcrypto has no SHA-1");
    stages->signature = hexadecimal(by->memory, (text){(const char *)digest, sizeof digest});
    return true;
}

bool action_signature(signer *by, parameters of, action_stages *stages) {
    return sort_parameters(by, of, stages) && sign_parameters(by, stages);
}

const leaf *leaf_named(const action_stages *stages, text name) {
    leaf sought = {.name = name};
    return bsearch(&sought, stages->sorted, stages->count, sizeof sought, by_name);
}

static bool has_all(signer *by, const action_stages *stages, const text *names, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (leaf_named(stages, names[i]) == NULL)
            return refuse(by, "parameter-missing", "a parameter that section 4 requires is not there");
    return true;
}

/* What is sent, other than the bare signature, has an Action and a PublicKey (4.2). */
static bool sign_action(signer *by, parameters of, action_stages *stages) {
    const text required[] = {TEXT("Action"), TEXT("PublicKey")};
    return sort_parameters(by, of, stages) && has_all(by, stages, required, 2) && sign_parameters(by, stages);
}

bool action_json(signer *by, parameters of, action_stages *stages, text *body) {
    if (!sign_action(by, of, stages)) return false;
    buffer json = {.memory = by->memory};
    add_char(&json, '{');
    for (size_t i = 0; i < stages->count; i++) {
        const leaf *member = &stages->sorted[i];
        add_json_text(&json, member->name);
        add_char(&json, ':');
        if (member->kind == TEXT_VALUE) add_json_text(&json, member->value);
        else add(&json, member->value);
        add_char(&json, ',');
    }
    add(&json, TEXT("\"Signature\":"));
    add_json_text(&json, stages->signature);
    add_char(&json, '}');
    *body = all_of(&json);
    return true;
}

static text query_of(signer *by, const action_stages *stages) {
    buffer query = {.memory = by->memory};
    for (size_t i = 0; i < stages->count; i++) {
        add(&query, url_encoded(by->memory, stages->sorted[i].name));
        add_char(&query, '=');
        add(&query, url_encoded(by->memory, stages->sorted[i].value));
        add_char(&query, '&');
    }
    add(&query, TEXT("Signature="));
    add(&query, stages->signature);
    return all_of(&query);
}

bool action_query(signer *by, parameters of, action_stages *stages, text *query) {
    if (!sign_action(by, of, stages)) return false;
    *query = query_of(by, stages);
    return true;
}

bool bucket_request(signer *by, parameters of, action_stages *stages, text *target) {
    const text required[] = {TEXT("Type"), TEXT("BucketName")};
    if (!sign_action(by, of, stages)) return false;
    bool creates = same(leaf_named(stages, TEXT("Action"))->value, TEXT("CreateBucket"));
    if (creates && !has_all(by, stages, required, 2)) return false;
    *target = JOINED(by->memory, TEXT("/?"), query_of(by, stages));
    return true;
}
