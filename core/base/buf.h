// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"

/// A growing byte buffer. Every buffer names its cap when it is made; what would go over it is not added, nor is
/// anything that follows, and `over` stays set until buf_clear, so that a writer can check once at the end. `data` is
/// NUL-terminated whenever it is not NULL.
struct buf {
  char *data;
  size_t len;
  size_t allocated;
  size_t cap_bytes;
  bool over; ///< something did not fit; the content is incomplete and must not be used as if it were whole
};

void buf_init(struct buf *buf, size_t cap_bytes);
void buf_done(struct buf *buf);  ///< releases the bytes; accepts a zeroed buf
void buf_clear(struct buf *buf); ///< empties it, keeps the allocation

/// Each returns false when the addition did not fit (and then nothing of it is added).
bool buf_add(struct buf *buf, const void *bytes, size_t len);
bool buf_add_str(struct buf *buf, struct str text);
bool buf_add_c(struct buf *buf, const char *text);
bool buf_add_char(struct buf *buf, char c);
bool buf_addf(struct buf *buf, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/// Makes room for `len` more bytes and returns where they go (zeroed), or NULL when over the cap; the caller then adds
/// to `len` what it wrote.
char *buf_reserve(struct buf *buf, size_t len);

/// Makes the content `len` bytes longer and returns where they are, or NULL when over the cap. The caller writes
/// all of them.
char *buf_extend(struct buf *buf, size_t len);

/// Borrowed view of the content; never absent (the empty buffer is the empty text).
struct str buf_str(const struct buf *buf);

/// Hands the bytes over (free() them); the buffer is empty afterwards. NUL-terminated, never NULL.
char *buf_take(struct buf *buf, size_t *ret_len);
