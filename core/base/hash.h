// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

enum { DIGEST_BYTES = 32, DIGEST_TEXT_LEN = 64 };
struct digest {
  uint8_t bytes[DIGEST_BYTES];
};
struct digest_text {
  char text[DIGEST_TEXT_LEN + 1];
};

/// SHA-256 (FIPS 180-4) in pieces. Opaque storage for libsodium's state; no release needed.
struct hash {
  _Alignas(16) uint8_t state[128];
};

void hash_init(struct hash *hash);
void hash_update(struct hash *hash, const void *bytes, size_t len);
/// Adds a field so that neighbours can't be confused: its length as a 64-bit big-endian integer, then its bytes.
void hash_field(struct hash *hash, struct str field);
struct digest hash_final(struct hash *hash);

struct digest hash_of(struct str bytes);                        ///< SHA-256 of the bytes alone, no length in front
struct digest_text digest_format(const struct digest *digest);  ///< lower-case hexadecimal
bool digest_parse(struct str text, struct digest *ret_digest);  ///< exactly 64 lower-case hexadecimal digits
bool digest_eq(const struct digest *a, const struct digest *b); ///< constant time

/// A 64-bit keyed hash for hash tables (SipHash-2-4, Aumasson and Bernstein 2012; the tag read as little-endian). With
/// a secret random key nobody can prepare texts that collide; it is no digest and is never stored.
uint64_t hash_short(const uint8_t key[16], struct str bytes);
