/* 2: the ETag of a file and that of a part. */
#include <errno.h>
#include <openssl/evp.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "encoding.h"
#include "signing.h"

enum { BLOCK_SIZE = 4 * 1024 * 1024, READ_SIZE = 64 * 1024 };

/* Where content comes from: an open file, or bytes of which `read` have been taken. */
typedef struct {
    FILE *file;
    kit_text bytes;
    size_t read;
} source;

static bool open_source(kit_signer *by, kit_content of, source *from) {
    *from = (source){.bytes = of.bytes};
    if (of.path == NULL) return true;
    from->file = fopen(of.path, "rb");
    return from->file != NULL || kit_broken(by, strerror(errno));
}

static size_t read_some(source *from, unsigned char *to, size_t most) {
    if (from->file != NULL) return fread(to, 1, most, from->file);
    size_t left = from->bytes.size - from->read, size = left < most ? left : most;
    if (size != 0) memcpy(to, from->bytes.at + from->read, size);
    from->read += size;
    return size;
}

/* SHA-1 of the next `limit` bytes, or of all that are left; `size` says how many those were. */
static bool hash(source *from, uint64_t limit, unsigned char digest[KIT_SHA_1_SIZE], uint64_t *size) {
    static unsigned char piece[READ_SIZE];
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    bool going = context != NULL && EVP_DigestInit_ex(context, EVP_sha1(), NULL);
    *size = 0;
    while (going && *size < limit) {
        size_t most = limit - *size < READ_SIZE ? (size_t)(limit - *size) : READ_SIZE;
        size_t some = read_some(from, piece, most);
        if (some == 0) break;
        going = EVP_DigestUpdate(context, piece, some);
        *size += some;
    }
    going = going && EVP_DigestFinal_ex(context, digest, NULL);
    EVP_MD_CTX_free(context);
    return going && (from->file == NULL || !ferror(from->file));
}

/* The count of blocks and the SHA-1 of the one block or over those of all blocks. */
static bool hash_blocks(source *from, unsigned char digest[KIT_SHA_1_SIZE], size_t *count) {
    EVP_MD_CTX *over_blocks = EVP_MD_CTX_new();
    bool going = over_blocks != NULL && EVP_DigestInit_ex(over_blocks, EVP_sha1(), NULL);
    uint64_t size = BLOCK_SIZE;
    unsigned char block[KIT_SHA_1_SIZE];
    for (*count = 0; going && size == BLOCK_SIZE;) {
        going = hash(from, BLOCK_SIZE, block, &size);
        if (!going || (size == 0 && *count != 0)) break;
        /* An empty file has no block, and the SHA-1 of nothing. */
        *count += size != 0;
        memcpy(digest, block, KIT_SHA_1_SIZE);
        going = EVP_DigestUpdate(over_blocks, block, KIT_SHA_1_SIZE);
    }
    if (*count > 1) going = going && EVP_DigestFinal_ex(over_blocks, digest, NULL);
    EVP_MD_CTX_free(over_blocks);
    return going;
}

static bool finish(kit_signer *by, source *from, bool going) {
    if (from->file != NULL) fclose(from->file);
    return going || kit_broken(by, "the content cannot be read or hashed");
}

bool file_etag(kit_signer *by, kit_content of, size_t *block_count, kit_text *digest, kit_text *etag) {
    source from;
    unsigned char bytes[4 + KIT_SHA_1_SIZE];
    if (!open_source(by, of, &from)) return false;
    if (!finish(by, &from, hash_blocks(&from, bytes + 4, block_count))) return false;
    if (*block_count > UINT32_MAX) return kit_broken(by, "the file has more blocks than an ETag can count");
    for (unsigned i = 0; i < 4; i++) bytes[i] = (unsigned char)(*block_count >> (8 * i));
    *digest = kit_hexadecimal(by->memory, (kit_text){(const char *)bytes + 4, KIT_SHA_1_SIZE});
    *etag = kit_base_64_url(by->memory, (kit_text){(const char *)bytes, sizeof bytes});
    return true;
}

bool part_etag(kit_signer *by, kit_content of, kit_text *digest, kit_text *etag) {
    source from;
    uint64_t size;
    unsigned char bytes[KIT_SHA_1_SIZE];
    if (!open_source(by, of, &from)) return false;
    if (!finish(by, &from, hash(&from, UINT64_MAX, bytes, &size))) return false;
    *digest = kit_hexadecimal(by->memory, (kit_text){(const char *)bytes, sizeof bytes});
    *etag = kit_base_64_url(by->memory, (kit_text){(const char *)bytes, sizeof bytes});
    return true;
}
