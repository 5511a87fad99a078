// SPDX-License-Identifier: Apache-2.0
// Pieces of text to look at: short, whole code points, and the place to look at marked.
#include "mock/excerpt.h"

#include "base/utf8.h"

enum { BEFORE_BYTES = 40, BEHIND_BYTES = 80, PLAIN_BYTES = 120 };

size_t excerpt_boundary(struct str text, size_t at) {
  while (at > 0 && at < text.len && ((unsigned char)text.data[at] & 0xc0) == 0x80) at--;
  return at;
}

static size_t next_boundary(struct str text, size_t at) {
  if (at >= text.len) return text.len;
  at++;
  while (at < text.len && ((unsigned char)text.data[at] & 0xc0) == 0x80) at++;
  return at;
}

size_t first_difference(struct str a, struct str b) {
  size_t most = a.len < b.len ? a.len : b.len, at = 0;
  while (at < most && a.data[at] == b.data[at]) at++;
  // Two different code points may share their first bytes; both texts agree up to here, so one boundary serves both.
  size_t of_a = excerpt_boundary(a, at), of_b = excerpt_boundary(b, at);
  return of_a < of_b ? of_a : of_b;
}

void excerpt_marked(struct buf *out, struct str text, size_t at) {
  if (at > text.len) at = text.len;
  size_t from = at > BEFORE_BYTES ? excerpt_boundary(text, at - BEFORE_BYTES) : 0;
  size_t end = next_boundary(text, at);
  struct str behind = utf8_clamp(str_skip(text, end), BEHIND_BYTES);
  if (from > 0) buf_add_c(out, "…");
  buf_add(out, text.data + from, at - from);
  buf_add_c(out, "⟦");
  buf_add(out, text.data + at, end - at);
  buf_add_c(out, "⟧");
  buf_add_str(out, behind);
  if (end + behind.len < text.len) buf_add_c(out, "…");
}

void excerpt_plain(struct buf *out, struct str text) {
  struct str kept = utf8_clamp(text, PLAIN_BYTES);
  buf_add_str(out, kept);
  if (kept.len < text.len) buf_add_c(out, "…");
}
