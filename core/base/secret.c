// SPDX-License-Identifier: Apache-2.0
// Randomness, passwords, tokens and authentication codes, all libsodium's. Nothing here decides who may do what.
#include "base/secret.h"

#include <assert.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TOKEN_PREFIX_MAX = 8, TOKEN_RANDOM_BYTES = 32 };

_Static_assert(crypto_pwhash_STRBYTES == SECRET_PASSWORD_HASH_MAX, "a password hash is what crypto_pwhash_str writes");
_Static_assert(crypto_auth_hmacsha256_KEYBYTES == 32, "the key length of secret_mac is libsodium's");
_Static_assert(TOKEN_PREFIX_MAX + (TOKEN_RANDOM_BYTES * 4 + 2) / 3 < SECRET_TOKEN_MAX, "a token fits its array");

void secret_setup(void) {
  if (sodium_init() >= 0) return;
  static const char text[] = "olivares: libsodium can't start: no source of randomness\n";
  if (write(STDERR_FILENO, text, sizeof(text) - 1) < 0) abort();
  abort();
}

void secret_random(void *bytes, size_t len) {
  randombytes_buf(bytes, len);
}

void secret_token(const char *prefix, char ret_token[SECRET_TOKEN_MAX]) {
  size_t prefix_len = strlen(prefix);
  assert(prefix_len <= TOKEN_PREFIX_MAX);
  uint8_t random[TOKEN_RANDOM_BYTES];
  secret_random(random, sizeof(random));
  memcpy(ret_token, prefix, prefix_len);
  secret_base64(random, sizeof(random), ret_token + prefix_len);
  secret_wipe(random, sizeof(random));
}

bool secret_password_hash(struct str password, char ret_hash[SECRET_PASSWORD_HASH_MAX], struct err *err) {
  char hash[SECRET_PASSWORD_HASH_MAX];
  if (crypto_pwhash_str_alg(hash, password.len ? password.data : "", password.len, crypto_pwhash_OPSLIMIT_INTERACTIVE,
                            crypto_pwhash_MEMLIMIT_INTERACTIVE, crypto_pwhash_ALG_ARGON2ID13) != 0)
    return err_set(err, ERR_UNAVAILABLE, "There is not enough memory to hash a password (64 MiB); try again later.");
  memcpy(ret_hash, hash, sizeof(hash));
  return true;
}

bool secret_password_matches(const char *hash, struct str password) {
  return crypto_pwhash_str_verify(hash, password.len ? password.data : "", password.len) == 0;
}

void secret_wipe(void *bytes, size_t len) {
  sodium_memzero(bytes, len);
}

void secret_mac(const uint8_t key[32], struct str message, uint8_t ret_mac[16]) {
  uint8_t mac[crypto_auth_hmacsha256_BYTES];
  crypto_auth_hmacsha256(mac, (const uint8_t *)(message.len ? message.data : ""), message.len, key);
  memcpy(ret_mac, mac, 16);
}

bool secret_equal(const void *a, const void *b, size_t len) {
  return sodium_memcmp(a, b, len) == 0;
}

size_t secret_base64_len(size_t bytes) {
  return bytes / 3 * 4 + (bytes % 3 ? bytes % 3 + 1 : 0);
}

void secret_base64(const void *bytes, size_t len, char *ret_text) {
  sodium_bin2base64(ret_text, secret_base64_len(len) + 1, bytes, len, sodium_base64_VARIANT_URLSAFE_NO_PADDING);
}

bool secret_unbase64(struct str text, void *ret_bytes, size_t cap, size_t *ret_len) {
  // libsodium takes some bytes beyond ASCII for digits of the alphabet.
  for (size_t i = 0; i < text.len; i++) {
    if ((unsigned char)text.data[i] >= 0x80) return false;
  }
  const char *start = text.len ? text.data : "";
  size_t len;
  const char *end;
  int variant = sodium_base64_VARIANT_URLSAFE_NO_PADDING;
  if (sodium_base642bin(ret_bytes, cap, start, text.len, NULL, &len, &end, variant) != 0) return false;
  if (end != start + text.len) return false;
  *ret_len = len;
  return true;
}
