// SPDX-License-Identifier: Apache-2.0
// UTF-8 as RFC 3629 defines it. Text is checked once, where it enters; everything behind that relies on it.
#include "base/utf8.h"

#include <stdint.h>

static const uint64_t HIGH_BITS = 0x8080808080808080U;

static size_t skip_ascii(struct str text, size_t at) {
  uint64_t word;
  while (text.len - at >= sizeof(word)) {
    memcpy(&word, text.data + at, sizeof(word));
    if (word & HIGH_BITS) break;
    at += sizeof(word);
  }
  while (at < text.len && (unsigned char)text.data[at] < 0x80) at++;
  return at;
}

// Length of the well-formed sequence of two to four bytes at `at`, or 0. The table 3-7 of the Unicode Standard, chapter
// 3: only the second byte has bounds that depend on the first.
static size_t sequence_len(struct str text, size_t at) {
  unsigned char lead = (unsigned char)text.data[at];
  unsigned char low = 0x80, high = 0xbf;
  size_t len;
  if (lead >= 0xc2 && lead <= 0xdf) {
    len = 2;
  } else if (lead >= 0xe0 && lead <= 0xef) {
    len = 3;
    if (lead == 0xe0) low = 0xa0;
    if (lead == 0xed) high = 0x9f;
  } else if (lead >= 0xf0 && lead <= 0xf4) {
    len = 4;
    if (lead == 0xf0) low = 0x90;
    if (lead == 0xf4) high = 0x8f;
  } else {
    return 0;
  }
  if (text.len - at < len) return 0;
  unsigned char second = (unsigned char)text.data[at + 1];
  if (second < low || second > high) return 0;
  for (size_t i = 2; i < len; i++) {
    if (((unsigned char)text.data[at + i] & 0xc0) != 0x80) return 0;
  }
  return len;
}

// Offset of the first byte from `at` on that does not belong, or text.len.
static size_t find_bad(struct str text, size_t at) {
  while ((at = skip_ascii(text, at)) < text.len) {
    size_t len = sequence_len(text, at);
    if (len == 0) break;
    at += len;
  }
  return at;
}

bool utf8_valid(struct str text, size_t *ret_bad_at) {
  size_t bad_at = find_bad(text, 0);
  if (bad_at == text.len) return true;
  if (ret_bad_at) *ret_bad_at = bad_at;
  return false;
}

struct str utf8_clamp(struct str text, size_t max_bytes) {
  if (text.len <= max_bytes) return text;
  size_t len = max_bytes;
  while (len > 0 && ((unsigned char)text.data[len] & 0xc0) == 0x80) len--;
  return (struct str){text.data, len};
}

void utf8_mend(char *text, size_t len) {
  for (size_t at = 0; (at = find_bad((struct str){text, len}, at)) < len; at++) text[at] = '?';
}
