// SPDX-License-Identifier: Apache-2.0
// Growing buffers with a cap. What a buffer holds is always an exact prefix of what was added to it: once an addition
// did not fit, later ones are refused too, so that nothing is ever missing in the middle.
#include "base/buf.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"

enum { BUF_FIRST_BYTES = 256 };

void buf_init(struct buf *buf, size_t cap_bytes) {
  *buf = (struct buf){.cap_bytes = cap_bytes < SIZE_MAX ? cap_bytes : SIZE_MAX - 1};
}

void buf_done(struct buf *buf) {
  free(buf->data);
  *buf = (struct buf){0};
}

void buf_clear(struct buf *buf) {
  buf->len = 0;
  buf->over = false;
  if (buf->data) buf->data[0] = '\0';
}

__attribute__((noinline)) static void grow(struct buf *buf, size_t needed) {
  size_t most = buf->cap_bytes + 1;
  size_t bytes = buf->allocated > most / 2 ? most : buf->allocated * 2;
  if (bytes < BUF_FIRST_BYTES) bytes = BUF_FIRST_BYTES < most ? BUF_FIRST_BYTES : most;
  if (bytes < needed) bytes = needed;
  buf->data = mem_realloc(buf->data, bytes);
  buf->allocated = bytes;
}

// Room for `len` more bytes and the NUL behind them.
static bool fit(struct buf *buf, size_t len) {
  if (buf->over || len > buf->cap_bytes - buf->len) {
    buf->over = true;
    return false;
  }
  size_t needed = buf->len + len + 1;
  if (needed > buf->allocated) grow(buf, needed);
  return true;
}

char *buf_extend(struct buf *buf, size_t len) {
  if (!fit(buf, len)) return NULL;
  char *start = buf->data + buf->len;
  buf->len += len;
  buf->data[buf->len] = '\0';
  return start;
}

// Zeroed because the caller may write less than it asked for, and `data` ends with a NUL all the same.
char *buf_reserve(struct buf *buf, size_t len) {
  if (!fit(buf, len)) return NULL;
  return memset(buf->data + buf->len, 0, len + 1);
}

bool buf_add(struct buf *buf, const void *bytes, size_t len) {
  char *start = buf_extend(buf, len);
  if (!start) return false;
  if (len) memcpy(start, bytes, len);
  return true;
}

bool buf_add_str(struct buf *buf, struct str text) {
  return buf_add(buf, text.data, text.len);
}

bool buf_add_c(struct buf *buf, const char *text) {
  return buf_add(buf, text, strlen(text));
}

bool buf_add_char(struct buf *buf, char c) {
  return buf_add(buf, &c, 1);
}

bool buf_addf(struct buf *buf, const char *fmt, ...) {
  if (!fit(buf, 0)) return false;
  va_list args, again;
  va_start(args, fmt);
  va_copy(again, args);
  size_t room = buf->allocated - buf->len;
  int wanted = vsnprintf(buf->data + buf->len, room, fmt, args);
  va_end(args);
  size_t len = wanted > 0 ? (size_t)wanted : 0;
  bool fits = fit(buf, len);
  if (fits) {
    if (len >= room) vsnprintf(buf->data + buf->len, len + 1, fmt, again);
    buf->len += len;
  }
  buf->data[buf->len] = '\0';
  va_end(again);
  return fits;
}

struct str buf_str(const struct buf *buf) {
  return (struct str){buf->data ? buf->data : "", buf->len};
}

char *buf_take(struct buf *buf, size_t *ret_len) {
  char *data = buf->data ? buf->data : mem_zalloc(1);
  if (ret_len) *ret_len = buf->len;
  buf_init(buf, buf->cap_bytes);
  return data;
}
