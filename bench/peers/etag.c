/* The ETag of a file (§2) with OpenSSL on two threads: etag FILE. */
#include <fcntl.h>
#include <openssl/evp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BLOCK = 4 << 20, PIECE = 128 << 10, DIGEST = 20, THREADS = 2 };

static int file;
static int64_t size, count;
static atomic_int_fast64_t next;
static unsigned char *digests;

static void fail(const char *what) {
  perror(what);
  exit(1);
}

static void *hash_blocks(void *unused) {
  unsigned char *piece = malloc(PIECE);
  EVP_MD_CTX *hash = EVP_MD_CTX_new();
  const EVP_MD *sha1 = EVP_sha1();
  for (int64_t block; (block = next++) < count;) {
    int64_t end = (block + 1) * BLOCK < size ? (block + 1) * BLOCK : size;
    EVP_DigestInit_ex(hash, sha1, NULL);
    for (int64_t at = block * BLOCK; at < end;) {
      ssize_t got = pread(file, piece, end - at < PIECE ? end - at : PIECE, at);
      if (got <= 0) fail("read");
      EVP_DigestUpdate(hash, piece, got);
      at += got;
    }
    EVP_DigestFinal_ex(hash, digests + block * DIGEST, NULL);
  }
  return unused;
}

int main(int argc, char **argv) {
  struct stat status;
  if (argc != 2 || (file = open(argv[1], O_RDONLY)) < 0 || fstat(file, &status) < 0) fail("open");
  size = status.st_size;
  count = (size + BLOCK - 1) / BLOCK;
  digests = malloc(count * DIGEST + 1);
  pthread_t threads[THREADS];
  for (int i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, hash_blocks, NULL);
  for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
  unsigned char bytes[4 + DIGEST] = {count, count >> 8, count >> 16, count >> 24};
  if (count == 1) memcpy(bytes + 4, digests, DIGEST);
  else EVP_Digest(digests, count * DIGEST, bytes + 4, NULL, EVP_sha1(), NULL);
  char text[33];
  EVP_EncodeBlock((unsigned char *)text, bytes, sizeof bytes);
  for (char *at = text; *at; at++) *at = *at == '+' ? '-' : *at == '/' ? '_' : *at;
  puts(text);
}
