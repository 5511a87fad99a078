// SPDX-License-Identifier: Apache-2.0
// Hexadecimal for values with one canonical text form: upper case is refused rather than accepted as a second spelling.
#include "base/hex.h"

char *hex_write(char *to, const uint8_t *bytes, size_t len) {
  static const char digits[] = "0123456789abcdef";
  for (size_t i = 0; i < len; i++) {
    *to++ = digits[bytes[i] >> 4];
    *to++ = digits[bytes[i] & 15];
  }
  return to;
}

static int value_of(char digit) {
  if (digit >= '0' && digit <= '9') return digit - '0';
  if (digit >= 'a' && digit <= 'f') return digit - 'a' + 10;
  return -1;
}

bool hex_read(const char *text, uint8_t *to, size_t len) {
  for (size_t i = 0; i < len; i++) {
    int high = value_of(text[2 * i]), low = value_of(text[2 * i + 1]);
    if (high < 0 || low < 0) return false;
    to[i] = (uint8_t)(high << 4 | low);
  }
  return true;
}
