/* Bucket management and the Action API: 4.1, 4.2, 5.1 and the query form of 5.3. */
#include <openssl/evp.h>
#include <stdlib.h>

#include "encoding.h"
#include "signing.h"

kit_text password_value(kit_arena *memory, kit_text clear) { return kit_base_64(memory, clear); }

static size_t leaves_in(kit_parameters of) {
    size_t count = 0;
    for (size_t i = 0; i < of.count; i++) {
        kit_value_kind kind = of.at[i].value.kind;
        count += kind == KIT_LIST_VALUE || kind == KIT_OBJECT_VALUE ? leaves_in(of.at[i].value.items) : 1;
    }
    return count;
}

static bool flatten(kit_signer *by, kit_text name, kit_any_value of, action_stages *to);

/* The items of a list under their places, those of an object under their names. */
static bool flatten_items(kit_signer *by, kit_text name, kit_any_value of, action_stages *to) {
    for (size_t i = 0; i < of.items.count; i++) {
        kit_buffer path = {.memory = by->memory};
        kit_add(&path, name);
        kit_add_char(&path, '.');
        if (of.kind == KIT_LIST_VALUE) kit_add_number(&path, i);
        else kit_add(&path, of.items.at[i].name);
        if (!flatten(by, kit_all_of(&path), of.items.at[i].value, to)) return false;
    }
    return true;
}

static bool flatten(kit_signer *by, kit_text name, kit_any_value of, action_stages *to) {
    switch (of.kind) {
        case KIT_LIST_VALUE:
        case KIT_OBJECT_VALUE: return flatten_items(by, name, of, to);
        /* A silence: this project refuses what it would have to leave out. */
        case KIT_NULL_VALUE: return kit_refuse(by, "parameter-null", "a parameter is null; section 5.1 has no text for it");
        case KIT_NUMBER_VALUE:
            if (!plain_decimal(by->memory, of.text, &of.text))
                return kit_refuse(by, "number", "a number has no plain decimal text (section 5.1 step 3)");
            break;
        case KIT_TEXT_VALUE:
        case KIT_BOOLEAN_VALUE: break;
    }
    to->sorted[to->count++] = (leaf){name, of.text, of.kind};
    return true;
}

static int by_name(const void *a, const void *b) { return kit_compare(((const leaf *)a)->name, ((const leaf *)b)->name); }

bool sort_parameters(kit_signer *by, kit_parameters of, action_stages *stages) {
    stages->sorted = kit_take(by->memory, leaves_in(of) + 1, sizeof *stages->sorted);
    stages->count = 0;
    for (size_t i = 0; i < of.count; i++) {
        if (kit_same(of.at[i].name, KIT_TEXT("Signature"))) continue; /* R2 */
        if (!flatten(by, of.at[i].name, of.at[i].value, stages)) return false;
    }
    qsort(stages->sorted, stages->count, sizeof *stages->sorted, by_name);
    for (size_t i = 1; i < stages->count; i++)
        if (kit_same(stages->sorted[i - 1].name, stages->sorted[i].name))
            return kit_refuse(by, "parameter-repeated", "a parameter is there twice; section 5.1 signs a set");
    return true;
}

bool sign_parameters(kit_signer *by, action_stages *stages) {
    kit_buffer string = {.memory = by->memory};
    for (size_t i = 0; i < stages->count; i++) {
        kit_add(&string, stages->sorted[i].name);
        kit_add(&string, stages->sorted[i].value);
    }
    kit_add(&string, by->keys.private_key); /* step 4 */
    stages->string_to_sign = kit_all_of(&string);
    unsigned char digest[KIT_SHA_1_SIZE];
    if (!EVP_Digest(stages->string_to_sign.at, stages->string_to_sign.size, digest, NULL, EVP_sha1(), NULL))
        return kit_broken(by, "libcrypto has no SHA-1");
    stages->signature = kit_hexadecimal(by->memory, (kit_text){(const char *)digest, sizeof digest});
    return true;
}

bool action_signature(kit_signer *by, kit_parameters of, action_stages *stages) {
    return sort_parameters(by, of, stages) && sign_parameters(by, stages);
}

const leaf *leaf_named(const action_stages *stages, kit_text name) {
    leaf sought = {.name = name};
    return bsearch(&sought, stages->sorted, stages->count, sizeof sought, by_name);
}

static bool has_all(kit_signer *by, const action_stages *stages, const kit_text *names, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (leaf_named(stages, names[i]) == NULL)
            return kit_refuse(by, "parameter-missing", "a parameter that section 4 requires is not there");
    return true;
}

/* What is sent, other than the bare signature, has an Action and a PublicKey (4.2). */
static bool sign_action(kit_signer *by, kit_parameters of, action_stages *stages) {
    const kit_text required[] = {KIT_TEXT("Action"), KIT_TEXT("PublicKey")};
    return sort_parameters(by, of, stages) && has_all(by, stages, required, 2) && sign_parameters(by, stages);
}

bool action_json(kit_signer *by, kit_parameters of, action_stages *stages, kit_text *body) {
    if (!sign_action(by, of, stages)) return false;
    kit_buffer json = {.memory = by->memory};
    kit_add_char(&json, '{');
    for (size_t i = 0; i < stages->count; i++) {
        const leaf *member = &stages->sorted[i];
        kit_add_json_text(&json, member->name);
        kit_add_char(&json, ':');
        if (member->kind == KIT_TEXT_VALUE) kit_add_json_text(&json, member->value);
        else kit_add(&json, member->value);
        kit_add_char(&json, ',');
    }
    kit_add(&json, KIT_TEXT("\"Signature\":"));
    kit_add_json_text(&json, stages->signature);
    kit_add_char(&json, '}');
    *body = kit_all_of(&json);
    return true;
}

static kit_text query_of(kit_signer *by, const action_stages *stages) {
    kit_buffer query = {.memory = by->memory};
    for (size_t i = 0; i < stages->count; i++) {
        kit_add(&query, kit_url_encoded(by->memory, stages->sorted[i].name));
        kit_add_char(&query, '=');
        kit_add(&query, kit_url_encoded(by->memory, stages->sorted[i].value));
        kit_add_char(&query, '&');
    }
    kit_add(&query, KIT_TEXT("Signature="));
    kit_add(&query, stages->signature);
    return kit_all_of(&query);
}

bool action_query(kit_signer *by, kit_parameters of, action_stages *stages, kit_text *query) {
    if (!sign_action(by, of, stages)) return false;
    *query = query_of(by, stages);
    return true;
}

bool bucket_request(kit_signer *by, kit_parameters of, action_stages *stages, kit_text *target) {
    const kit_text required[] = {KIT_TEXT("Type"), KIT_TEXT("BucketName")};
    if (!sign_action(by, of, stages)) return false;
    bool creates = kit_same(leaf_named(stages, KIT_TEXT("Action"))->value, KIT_TEXT("CreateBucket"));
    if (creates && !has_all(by, stages, required, 2)) return false;
    *target = KIT_JOINED(by->memory, KIT_TEXT("/?"), query_of(by, stages));
    return true;
}
