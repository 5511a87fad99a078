// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"

/// Prepares libsodium. Call once in main before anything else of base; safe to repeat. Ends the process on failure.
void secret_setup(void);

void secret_random(void *bytes, size_t len);

enum { SECRET_TOKEN_MAX = 64, SECRET_PASSWORD_HASH_MAX = 128 };

/// A new bearer token: `prefix`, then 32 random bytes in unpadded base64url. Fits SECRET_TOKEN_MAX with a prefix of at
/// most 8 characters.
void secret_token(const char *prefix, char ret_token[SECRET_TOKEN_MAX]);

/// Argon2id with libsodium's interactive limits (64 MiB, tens of milliseconds): for a worker thread, never the loop.
bool secret_password_hash(struct str password, char ret_hash[SECRET_PASSWORD_HASH_MAX], struct err *err);
bool secret_password_matches(const char *hash, struct str password);

void secret_wipe(void *bytes, size_t len);

/// HMAC-SHA-256 truncated to 16 bytes, to make opaque values (cursors) unforgeable. `key` is 32 bytes.
void secret_mac(const uint8_t key[32], struct str message, uint8_t ret_mac[16]);
bool secret_equal(const void *a, const void *b, size_t len); ///< constant time

/// Unpadded base64url (RFC 4648, section 5). Decoding accepts only what encoding produces (no padding, no spare bits);
/// on failure the bytes at `ret_bytes` are undefined, `*ret_len` is untouched.
size_t secret_base64_len(size_t bytes);                            ///< characters without the NUL
void secret_base64(const void *bytes, size_t len, char *ret_text); ///< writes a NUL
bool secret_unbase64(struct str text, void *ret_bytes, size_t cap, size_t *ret_len);
