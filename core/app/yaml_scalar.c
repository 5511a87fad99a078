// SPDX-License-Identifier: Apache-2.0
// The meaning of YAML's plain scalars. Only what the core schema names is anything but text: "yes", "off", 1:30 and
// 0777 are what they look like (text, text, text and the decimal 777), unlike in YAML 1.1.
#include "app/yaml_scalar.h"

#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>

enum { NUMBER_MAX_BYTES = 400 };

static bool is_one_of(struct str text, const char *const *words) {
  for (; *words; words++)
    if (str_eq(text, str_c(*words))) return true;
  return false;
}

static size_t span(struct str text, size_t from, const char *set) {
  size_t count = 0;
  while (from + count < text.len && text.data[from + count] && strchr(set, text.data[from + count])) count++;
  return count;
}

static bool is_sign(struct str text, size_t at) {
  return at < text.len && (text.data[at] == '-' || text.data[at] == '+');
}

#define DIGITS "0123456789"

/// [-+]? ( \. [0-9]+ | [0-9]+ ( \. [0-9]* )? ) ( [eE] [-+]? [0-9]+ )?; `*ret_integer` when it has neither point nor
/// power.
static bool is_decimal(struct str text, bool *ret_integer) {
  size_t at = is_sign(text, 0) ? 1 : 0;
  size_t whole = span(text, at, DIGITS), fraction = 0;
  at += whole;
  bool point = at < text.len && text.data[at] == '.';
  if (point) {
    fraction = span(text, at + 1, DIGITS);
    at += 1 + fraction;
  }
  if (whole + fraction == 0) return false;
  bool power = at < text.len && (text.data[at] == 'e' || text.data[at] == 'E');
  if (power) {
    at++;
    if (is_sign(text, at)) at++;
    size_t digits = span(text, at, DIGITS);
    if (digits == 0) return false;
    at += digits;
  }
  *ret_integer = !point && !power;
  return at == text.len;
}

static struct yaml_value fault(void) {
  return (struct yaml_value){.kind = YAML_KIND_NUMBER_FAULT};
}

/// Digits of base 8 or 16, which the core schema takes without a sign.
static struct yaml_value read_based(struct str digits, unsigned base) {
  uint64_t number = 0;
  for (size_t i = 0; i < digits.len; i++) {
    char c = digits.data[i];
    unsigned digit = c <= '9' ? (unsigned)(c - '0') : (unsigned)((c | 0x20) - 'a') + 10;
    if (number > (uint64_t)INT64_MAX / base || number * base > (uint64_t)INT64_MAX - digit) return fault();
    number = number * base + digit;
  }
  return (struct yaml_value){.kind = YAML_KIND_INT, .integer = (int64_t)number};
}

/// The text has been seen to be a decimal; the C library's locale may want another point than '.'.
static struct yaml_value read_real(struct str text) {
  if (text.len >= NUMBER_MAX_BYTES) return fault();
  char copy[NUMBER_MAX_BYTES];
  memcpy(copy, text.data, text.len);
  copy[text.len] = '\0';
  char *point = strchr(copy, '.');
  if (point) *point = localeconv()->decimal_point[0];
  double real = strtod(copy, NULL);
  if (!isfinite(real)) return fault();
  return (struct yaml_value){.kind = YAML_KIND_REAL, .real = real};
}

static struct yaml_value read_integer(struct str text) {
  struct yaml_value value = {.kind = YAML_KIND_INT};
  struct str digits = text.data[0] == '+' ? str_skip(text, 1) : text;
  return str_int(digits, &value.integer) ? value : fault();
}

struct yaml_value yaml_scalar_read(struct str text) {
  static const char *const nulls[] = {"", "~", "null", "Null", "NULL", NULL};
  static const char *const truths[] = {"true", "True", "TRUE", NULL};
  static const char *const untruths[] = {"false", "False", "FALSE", NULL};
  static const char *const endless[] = {".inf",  ".Inf",  ".INF", "+.inf", "+.Inf", "+.INF", "-.inf",
                                        "-.Inf", "-.INF", ".nan", ".NaN",  ".NAN",  NULL};
  if (is_one_of(text, nulls)) return (struct yaml_value){.kind = YAML_KIND_NULL};
  if (is_one_of(text, truths)) return (struct yaml_value){.kind = YAML_KIND_BOOL, .truth = true};
  if (is_one_of(text, untruths)) return (struct yaml_value){.kind = YAML_KIND_BOOL};
  if (is_one_of(text, endless)) return fault();
  bool octal = str_starts(text, STR("0o")) && span(text, 2, "01234567") == text.len - 2;
  bool hexadecimal = str_starts(text, STR("0x")) && span(text, 2, DIGITS "abcdefABCDEF") == text.len - 2;
  if (text.len > 2 && (octal || hexadecimal)) return read_based(str_skip(text, 2), octal ? 8 : 16);
  bool integer = false;
  if (is_decimal(text, &integer)) return integer ? read_integer(text) : read_real(text);
  return (struct yaml_value){.kind = YAML_KIND_TEXT};
}

static int sextet(char c) {
  static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const char *at = c ? strchr(alphabet, c) : NULL;
  return at ? (int)(at - alphabet) : -1;
}

bool yaml_binary_read(struct str text, struct buf *out) {
  uint32_t bits = 0;
  unsigned held = 0;
  size_t symbols = 0, padding = 0;
  for (size_t i = 0; i < text.len; i++) {
    char c = text.data[i];
    if (c == ' ' || c == '\t' || c == '\r' || c == '\n') continue;
    symbols++;
    if (c == '=') {
      padding++;
      continue;
    }
    int value = sextet(c);
    if (value < 0 || padding > 0) return false;
    bits = (bits << 6 | (uint32_t)value) & 0xffff;
    held += 6;
    if (held >= 8) {
      held -= 8;
      if (!buf_add_char(out, (char)(bits >> held & 0xff))) return false;
    }
  }
  return symbols % 4 == 0 && padding <= 2;
}
