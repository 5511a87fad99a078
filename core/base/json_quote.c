// SPDX-License-Identifier: Apache-2.0
// JSON strings, escaped no more than RFC 8785 (section 3.2.2.2) asks for, by the writer and the canonical form alike.
// Most text needs no escape at all: it is looked through eight bytes at a time and copied whole.
#include <stdint.h>

#include "base/json_writer.h"

static const uint64_t ONES = 0x0101010101010101U;
static const uint64_t HIGH_BITS = 0x8080808080808080U;

// Whether one of the eight bytes needs an escape: below 0x20, '"' or '\'. Subtracting borrows into the top bit of a
// byte that is smaller than what is taken off; bytes of 0x80 and more are masked out. A borrow that runs on into the
// next byte can only follow a byte that needs an escape anyway.
static bool needs_escape(uint64_t word) {
  uint64_t quote = word ^ (ONES * '"');
  uint64_t backslash = word ^ (ONES * '\\');
  uint64_t control = (word - ONES * 0x20) & ~word;
  return ((control | ((quote - ONES) & ~quote) | ((backslash - ONES) & ~backslash)) & HIGH_BITS) != 0;
}

// Offset of the first byte from `at` on that needs an escape, or text.len.
static size_t skip_plain(struct str text, size_t at) {
  uint64_t word;
  while (text.len - at >= sizeof(word)) {
    memcpy(&word, text.data + at, sizeof(word));
    if (needs_escape(word)) break;
    at += sizeof(word);
  }
  for (; at < text.len; at++) {
    unsigned char c = (unsigned char)text.data[at];
    if (c < 0x20 || c == '"' || c == '\\') break;
  }
  return at;
}

static void add_escape(struct buf *buf, unsigned char c) {
  static const char digits[] = "0123456789abcdef";
  char escape[6] = {'\\', (char)c};
  size_t len = 2;
  switch (c) {
  case '"':
  case '\\': break;
  case '\b': escape[1] = 'b'; break;
  case '\t': escape[1] = 't'; break;
  case '\n': escape[1] = 'n'; break;
  case '\f': escape[1] = 'f'; break;
  case '\r': escape[1] = 'r'; break;
  default:
    memcpy(escape, "\\u00", 4);
    escape[4] = digits[c >> 4];
    escape[5] = digits[c & 15];
    len = 6;
  }
  buf_add(buf, escape, len);
}

void json_quote(struct buf *buf, struct str text) {
  size_t plain = skip_plain(text, 0);
  if (plain == text.len) {
    char *to = buf_extend(buf, text.len + 2);
    if (!to) return;
    to[0] = '"';
    if (text.len) memcpy(to + 1, text.data, text.len);
    to[text.len + 1] = '"';
    return;
  }
  buf_add_char(buf, '"');
  size_t at = 0;
  for (;;) {
    buf_add(buf, text.data + at, plain - at);
    if (plain == text.len) break;
    add_escape(buf, (unsigned char)text.data[plain]);
    at = plain + 1;
    plain = skip_plain(text, at);
  }
  buf_add_char(buf, '"');
}
