// SPDX-License-Identifier: Apache-2.0
// JSON written straight into a buffer. The writer keeps one bit a level, whether it is an object, to assert that
// members have names and elements have none; levels beyond the bits are written all the same, unasserted. Errors are
// the buffer's: what does not fit sets `over`.
#include "base/json_writer.h"

#include <assert.h>

#include "base/json_number.h"

enum { KNOWN_LEVELS = 64 };

static bool known(const struct json_writer *w) {
  return w->depth > 0 && w->depth <= KNOWN_LEVELS;
}

static bool in_object(const struct json_writer *w) {
  return known(w) && (w->objects >> (w->depth - 1) & 1);
}

void jw_init(struct json_writer *w, struct buf *buf) {
  *w = (struct json_writer){.buf = buf};
}

// Everything in front of a value: the comma, and the name with its colon.
static void lead(struct json_writer *w, const char *key) {
  if (w->named) {
    assert(!key);
    w->named = false;
    return;
  }
  assert(!known(w) || in_object(w) == (key != NULL));
  assert(w->depth > 0 || !w->need_comma); // one document
  if (w->need_comma) buf_add_char(w->buf, ',');
  if (key) {
    json_quote(w->buf, str_c(key));
    buf_add_char(w->buf, ':');
  }
}

static void value(struct json_writer *w, const char *key, const char *text, size_t len) {
  lead(w, key);
  buf_add(w->buf, text, len);
  w->need_comma = true;
}

static void open_level(struct json_writer *w, const char *key, char bracket, bool object) {
  lead(w, key);
  buf_add_char(w->buf, bracket);
  w->depth++;
  w->need_comma = false;
  if (!known(w)) return;
  uint64_t bit = (uint64_t)1 << (w->depth - 1);
  w->objects = object ? w->objects | bit : w->objects & ~bit;
}

static void close_level(struct json_writer *w, char bracket, bool object) {
  assert(w->depth > 0 && !w->named);
  assert(!known(w) || in_object(w) == object);
  buf_add_char(w->buf, bracket);
  w->depth--;
  w->need_comma = true;
}

void jw_object(struct json_writer *w, const char *key) {
  open_level(w, key, '{', true);
}

void jw_object_end(struct json_writer *w) {
  close_level(w, '}', true);
}

void jw_array(struct json_writer *w, const char *key) {
  open_level(w, key, '[', false);
}

void jw_array_end(struct json_writer *w) {
  close_level(w, ']', false);
}

void jw_str(struct json_writer *w, const char *key, struct str text) {
  lead(w, key);
  json_quote(w->buf, text);
  w->need_comma = true;
}

void jw_c(struct json_writer *w, const char *key, const char *text) {
  jw_str(w, key, str_c(text));
}

void jw_int(struct json_writer *w, const char *key, int64_t number) {
  char text[20]; // -9223372036854775808
  char *start = text + sizeof(text);
  uint64_t rest = number < 0 ? -(uint64_t)number : (uint64_t)number;
  do {
    *--start = (char)('0' + rest % 10);
    rest /= 10;
  } while (rest > 0);
  if (number < 0) *--start = '-';
  value(w, key, start, (size_t)(text + sizeof(text) - start));
}

void jw_real(struct json_writer *w, const char *key, double number) {
  char text[JSON_NUMBER_MAX];
  value(w, key, text, json_number(number, text));
}

void jw_bool(struct json_writer *w, const char *key, bool truth) {
  value(w, key, truth ? "true" : "false", truth ? 4 : 5);
}

void jw_null(struct json_writer *w, const char *key) {
  value(w, key, "null", 4);
}

void jw_raw(struct json_writer *w, const char *key, struct str json) {
  if (json.len == 0) json = STR("null");
  value(w, key, json.data, json.len);
}

void jw_key(struct json_writer *w, struct str key) {
  assert(!w->named && (in_object(w) || w->depth > KNOWN_LEVELS));
  if (w->need_comma) buf_add_char(w->buf, ',');
  json_quote(w->buf, key);
  buf_add_char(w->buf, ':');
  w->named = true;
}
