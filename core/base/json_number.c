// SPDX-License-Identifier: Apache-2.0
// Numbers as ECMAScript prints them. The C library rounds correctly both ways, so the shortest digits are found by
// asking it for ever more of them until they read back equal. 15 digits are always enough room for a decimal of up to
// 15 (DBL_DIG), 17 always suffice: a normal number takes three attempts at most.
#include "base/json_number.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double EXACT_INTEGERS = 9007199254740992.0; // 2^53

enum { MOST_DIGITS = 17 };

struct decimal {
  char digits[MOST_DIGITS];
  int count;
  int point; // value = 0.DIGITS times 10 to the power of `point`
};

// `text` is what printf's %e wrote; its last digit is raised by one. False when that would carry into a new first
// digit.
static bool raise_last_digit(char *text) {
  char *at = strchr(text, 'e');
  while (at-- > text) {
    if (*at < '0' || *at > '9') continue;
    if (*at < '9') {
      ++*at;
      return true;
    }
    *at = '0';
  }
  return false;
}

// Below a power of two the neighbours are twice as close as above it. The decimal nearest to it may then lie too far
// below to read back equal while the next one above still does.
static bool is_power_of_two(double value) {
  int exponent;
  return frexp(value, &exponent) == 0.5;
}

// `text` takes "d.ddd…e±xxx" with `count` digits that read back as `value`, when there are such.
static bool try_digits(double value, int count, char text[static JSON_NUMBER_MAX]) {
  snprintf(text, JSON_NUMBER_MAX, "%.*e", count - 1, value);
  if (strtod(text, NULL) == value) return true;
  return is_power_of_two(value) && raise_last_digit(text) && strtod(text, NULL) == value;
}

// `value` is above zero. Any decimal point of a locale is skipped over, and strtod knows the same one.
static struct decimal shortest(double value) {
  char text[JSON_NUMBER_MAX];
  int count = value < DBL_MIN ? 1 : DBL_DIG;
  while (!try_digits(value, count, text)) count++;
  assert(count <= MOST_DIGITS);

  struct decimal decimal = {0};
  const char *at = text;
  for (; *at != 'e'; at++) {
    if (*at >= '0' && *at <= '9') decimal.digits[decimal.count++] = *at;
  }
  decimal.point = (int)strtol(at + 1, NULL, 10) + 1;
  while (decimal.count > 1 && decimal.digits[decimal.count - 1] == '0') decimal.count--;
  return decimal;
}

static char *put(char *to, const char *from, int count) {
  memcpy(to, from, (size_t)count);
  return to + count;
}

static char *put_zeros(char *to, int count) {
  memset(to, '0', (size_t)count);
  return to + count;
}

static char *put_decimal(char *to, const struct decimal *d) {
  if (d->point >= d->count && d->point <= 21) {
    to = put(to, d->digits, d->count);
    return put_zeros(to, d->point - d->count);
  }
  if (d->point > 0 && d->point <= 21) {
    to = put(to, d->digits, d->point);
    *to++ = '.';
    return put(to, d->digits + d->point, d->count - d->point);
  }
  if (d->point > -6 && d->point <= 0) {
    to = put(to, "0.", 2);
    to = put_zeros(to, -d->point);
    return put(to, d->digits, d->count);
  }
  *to++ = d->digits[0];
  if (d->count > 1) {
    *to++ = '.';
    to = put(to, d->digits + 1, d->count - 1);
  }
  return to + snprintf(to, 8, "e%+d", d->point - 1);
}

size_t json_number(double value, char ret_text[JSON_NUMBER_MAX]) {
  assert(isfinite(value));
  if (fabs(value) < EXACT_INTEGERS && value == (double)(long long)value)
    return (size_t)snprintf(ret_text, JSON_NUMBER_MAX, "%lld", (long long)value);
  char *to = ret_text;
  if (value < 0) *to++ = '-';
  struct decimal decimal = shortest(fabs(value));
  to = put_decimal(to, &decimal);
  *to = '\0';
  return (size_t)(to - ret_text);
}
