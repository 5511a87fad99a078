// SPDX-License-Identifier: Apache-2.0
// The keyed hash of hash tables, apart from the digests of hash.c: nothing made here is stored or shown.
#include <endian.h>
#include <sodium.h>
#include <string.h>

#include "base/hash.h"

_Static_assert(crypto_shorthash_KEYBYTES == 16, "the key length of hash_short is SipHash's");
_Static_assert(crypto_shorthash_BYTES == sizeof(uint64_t), "the tag of SipHash-2-4 is one 64-bit word");

uint64_t hash_short(const uint8_t key[16], struct str bytes) {
  uint64_t tag;
  crypto_shorthash((unsigned char *)&tag, (const unsigned char *)bytes.data, bytes.len, key);
  return le64toh(tag);
}
