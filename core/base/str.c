// SPDX-License-Identifier: Apache-2.0
// Borrowed text: comparing, cutting, reading numbers, and guessing which word was meant.
#include "base/str.h"

enum { NEAREST_MAX_LEN = 64 };

bool str_eq(struct str a, struct str b) {
  return a.len == b.len && (a.len == 0 || memcmp(a.data, b.data, a.len) == 0);
}

int str_cmp(struct str a, struct str b) {
  size_t common = a.len < b.len ? a.len : b.len;
  int order = common ? memcmp(a.data, b.data, common) : 0;
  if (order != 0) return order;
  return (a.len > b.len) - (a.len < b.len);
}

bool str_starts(struct str s, struct str prefix) {
  return s.len >= prefix.len && (prefix.len == 0 || memcmp(s.data, prefix.data, prefix.len) == 0);
}

struct str str_skip(struct str s, size_t bytes) {
  if (!s.data) return s;
  if (bytes > s.len) bytes = s.len;
  return (struct str){s.data + bytes, s.len - bytes};
}

struct str str_cut(struct str *rest, char sep) {
  struct str all = *rest;
  const char *at = all.len ? memchr(all.data, sep, all.len) : NULL;
  if (!at) {
    *rest = STR_NONE;
    return all;
  }
  size_t before = (size_t)(at - all.data);
  *rest = str_skip(all, before + 1);
  return (struct str){all.data, before};
}

bool str_int(struct str s, int64_t *ret_value) {
  bool negative = s.len > 0 && s.data[0] == '-';
  size_t at = negative ? 1 : 0;
  if (at == s.len) return false;
  // Built up below zero, where int64 reaches one further.
  int64_t value = 0;
  for (; at < s.len; at++) {
    if (s.data[at] < '0' || s.data[at] > '9') return false;
    if (__builtin_mul_overflow(value, 10, &value)) return false;
    if (__builtin_sub_overflow(value, s.data[at] - '0', &value)) return false;
  }
  if (!negative) {
    if (value == INT64_MIN) return false;
    value = -value;
  }
  *ret_value = value;
  return true;
}

static char fold(char c) {
  return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static size_t least(size_t a, size_t b) {
  return a < b ? a : b;
}

// Optimal string alignment distance (Damerau 1964 restricted to one edit per substring): insertions, deletions,
// substitutions and swaps of neighbours count 1; the case of ASCII letters counts nothing.
static size_t edit_distance(struct str a, struct str b) {
  size_t rows[3][NEAREST_MAX_LEN + 1];
  size_t *before = rows[0], *above = rows[1], *row = rows[2];
  for (size_t j = 0; j <= b.len; j++) before[j] = above[j] = j;
  for (size_t i = 1; i <= a.len; i++) {
    row[0] = i;
    for (size_t j = 1; j <= b.len; j++) {
      char x = fold(a.data[i - 1]), y = fold(b.data[j - 1]);
      row[j] = least(above[j - 1] + (x != y), least(above[j], row[j - 1]) + 1);
      bool swapped = i > 1 && j > 1 && x == fold(b.data[j - 2]) && y == fold(a.data[i - 2]);
      if (swapped) row[j] = least(row[j], before[j - 2] + 1);
    }
    size_t *free_row = before;
    before = above;
    above = row;
    row = free_row;
  }
  return above[b.len];
}

const char *str_nearest(struct str s, const char *const *words) {
  if (s.len == 0 || s.len > NEAREST_MAX_LEN) return NULL;
  const char *nearest = NULL;
  size_t nearest_distance = SIZE_MAX;
  for (; *words; words++) {
    struct str word = str_c(*words);
    if (word.len > NEAREST_MAX_LEN) continue;
    // One slip in a short word, then one for every three letters: beyond that it is another word, as is any one letter.
    size_t longer = s.len > word.len ? s.len : word.len;
    size_t allowed = longer < 6 ? longer > 1 : longer / 3;
    size_t distance = edit_distance(s, word);
    if (distance > allowed || distance >= nearest_distance) continue;
    nearest = *words;
    nearest_distance = distance;
  }
  return nearest;
}
