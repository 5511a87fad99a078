// SPDX-License-Identifier: Apache-2.0
#pragma once

// Matching that is too simple to be wrong, to hold the real one against, and chance that is the same in every run.
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/json.h"

/// SplitMix64 (Steele, Lea, Flood 2014).
static inline uint64_t next_random(uint64_t *seed) {
  uint64_t z = *seed += 0x9e3779b97f4a7c15U;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31);
}

static inline size_t below(uint64_t *seed, size_t bound) {
  return (size_t)(next_random(seed) % bound);
}

static inline size_t character(const char *text) {
  size_t len = 1;
  while (((unsigned char)text[len] & 0xc0) == 0x80) len++;
  return len;
}

static inline bool naive_glob(const char *pattern, const char *text);

static inline bool naive_glob_star(const char *pattern, const char *text) {
  bool across = pattern[1] == '*';
  while (*pattern == '*') pattern++;
  for (;; text += character(text)) {
    if (naive_glob(pattern, text)) return true;
    if (!*text || (!across && *text == '\n')) return false;
  }
}

static inline bool naive_glob(const char *pattern, const char *text) {
  if (!*pattern) return !*text;
  if (*pattern == '*') return naive_glob_star(pattern, text);
  if (*pattern == '?') return *text && *text != '\n' && naive_glob(pattern + 1, text + character(text));
  if (*pattern == '\\' && pattern[1]) pattern++;
  size_t len = character(pattern);
  return strncmp(pattern, text, len) == 0 && naive_glob(pattern + len, text + len);
}

/// A pattern of plain characters between ^ and $, either of which may be missing.
static inline bool naive_regex(const char *pattern, const char *text) {
  bool at_start = *pattern == '^', at_end = pattern[strlen(pattern) - 1] == '$';
  size_t len = strlen(pattern) - at_start - at_end;
  for (size_t from = 0; from + len <= strlen(text); from++) {
    bool here = memcmp(text + from, pattern + at_start, len) == 0 && (!at_end || from + len == strlen(text));
    if (here || at_start) return here;
  }
  return false;
}

/// A copy with all numbers of one type, so that json_equal compares what they mean.
static inline json_t *naive_json(const json_t *json) {
  if (json_is_integer(json)) return json_real((double)json_integer_value(json));
  json_t *copy = json_deep_copy(json), *value;
  const char *name;
  size_t i;
  json_object_foreach(copy, name, value) json_object_set_new(copy, name, naive_json(value));
  json_array_foreach(copy, i, value) json_array_set_new(copy, i, naive_json(value));
  return copy;
}

static inline bool naive_match(const json_t *matcher, const char *text);

/// {"equal": any}, {"partial": {"a": any}} and {"path": {"$.a": any}}.
static inline bool naive_json_matcher(const json_t *matcher, const char *text) {
  json_t *read = json_loads(text, JSON_DECODE_ANY | JSON_REJECT_DUPLICATES, NULL);
  if (!read) return false;
  json_t *got = naive_json(read), *wanted = naive_json(matcher);
  json_t *equal = json_object_get(wanted, "equal");
  json_t *member = json_object_get(json_object_get(wanted, "partial"), "a");
  if (!member) member = json_object_get(json_object_get(wanted, "path"), "$.a");
  bool holds = equal ? json_equal(got, equal) : json_equal(json_object_get(got, "a"), member) == 1;
  json_decref(read);
  json_decref(got);
  json_decref(wanted);
  return holds;
}

static inline bool naive_parts(const json_t *parts, const char *text, bool every) {
  size_t i;
  json_t *part;
  json_array_foreach(parts, i, part) if (naive_match(part, text) != every) return !every;
  return every;
}

static inline bool naive_match(const json_t *matcher, const char *text) {
  const char *kind = json_object_iter_key(json_object_iter((json_t *)(uintptr_t)matcher));
  const json_t *value = json_object_get(matcher, kind);
  const char *wanted = json_is_string(value) ? json_string_value(value) : "";
  size_t len = strlen(text), wanted_len = strlen(wanted);
  if (strcmp(kind, "resource") == 0) return strcmp(text, wanted) == 0;
  if (strcmp(kind, "prefix") == 0) return strncmp(text, wanted, wanted_len) == 0;
  if (strcmp(kind, "suffix") == 0) return len >= wanted_len && strcmp(text + len - wanted_len, wanted) == 0;
  if (strcmp(kind, "contains") == 0) return strstr(text, wanted) != NULL;
  if (strcmp(kind, "glob") == 0) return naive_glob(wanted, text);
  if (strcmp(kind, "regex") == 0) return naive_regex(wanted, text);
  if (strcmp(kind, "json") == 0) return naive_json_matcher(value, text);
  if (strcmp(kind, "all") == 0) return naive_parts(value, text, true);
  return naive_parts(value, text, false) == (strcmp(kind, "any") == 0);
}
