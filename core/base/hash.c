// SPDX-License-Identifier: Apache-2.0
// SHA-256 over libsodium. What is hashed field by field carries each length in front, so that moving bytes from one
// field to its neighbour changes the digest.
#include "base/hash.h"

#include <endian.h>
#include <sodium.h>

#include "base/hex.h"

_Static_assert(sizeof(crypto_hash_sha256_state) <= sizeof(((struct hash *)0)->state), "struct hash holds the state");
_Static_assert(_Alignof(crypto_hash_sha256_state) <= _Alignof(struct hash), "struct hash is aligned for the state");
_Static_assert(crypto_hash_sha256_BYTES == DIGEST_BYTES, "a digest is what SHA-256 gives");

static crypto_hash_sha256_state *state_of(struct hash *hash) {
  return (crypto_hash_sha256_state *)(void *)hash->state;
}

void hash_init(struct hash *hash) {
  crypto_hash_sha256_init(state_of(hash));
}

void hash_update(struct hash *hash, const void *bytes, size_t len) {
  if (len) crypto_hash_sha256_update(state_of(hash), bytes, len);
}

void hash_field(struct hash *hash, struct str field) {
  uint64_t len = htobe64(field.len);
  hash_update(hash, &len, sizeof(len));
  hash_update(hash, field.data, field.len);
}

struct digest hash_final(struct hash *hash) {
  struct digest digest;
  crypto_hash_sha256_final(state_of(hash), digest.bytes);
  return digest;
}

struct digest hash_of(struct str bytes) {
  struct hash hash;
  hash_init(&hash);
  hash_update(&hash, bytes.data, bytes.len);
  return hash_final(&hash);
}

struct digest_text digest_format(const struct digest *digest) {
  struct digest_text text;
  *hex_write(text.text, digest->bytes, DIGEST_BYTES) = '\0';
  return text;
}

bool digest_parse(struct str text, struct digest *ret_digest) {
  struct digest digest;
  if (text.len != DIGEST_TEXT_LEN || !hex_read(text.data, digest.bytes, DIGEST_BYTES)) return false;
  *ret_digest = digest;
  return true;
}

bool digest_eq(const struct digest *a, const struct digest *b) {
  return sodium_memcmp(a->bytes, b->bytes, DIGEST_BYTES) == 0;
}
