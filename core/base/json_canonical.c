// SPDX-License-Identifier: Apache-2.0
// The canonical form of RFC 8785, so that equal values have equal bytes and thus equal digests. Numbers that print as
// integers beyond ±2^53 are refused though the RFC has a form for them: as integers they would be rounded, and that
// form, read again, is such an integer.
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/json.h"
#include "base/json_number.h"
#include "base/json_writer.h"
#include "base/mem.h"

static const int64_t EXACT_INTEGERS = (int64_t)1 << 53;
static const double PLAIN_NOTATION_END = 1e21;

struct member {
  struct str key;
  const json_t *value;
};

// In UTF-16 the code points above U+FFFF (lead bytes f0 to f4 in UTF-8) are written with surrogates and so come before
// U+E000 to U+FFFF (lead bytes ee and ef). Apart from that the orders are the same.
static unsigned utf16_rank(char c) {
  unsigned byte = (unsigned char)c;
  return byte == 0xee || byte == 0xef ? byte + 0x10 : byte;
}

static int compare_members(const void *a, const void *b) {
  struct str x = ((const struct member *)a)->key, y = ((const struct member *)b)->key;
  size_t common = x.len < y.len ? x.len : y.len;
  for (size_t i = 0; i < common; i++) {
    if (x.data[i] != y.data[i]) return utf16_rank(x.data[i]) < utf16_rank(y.data[i]) ? -1 : 1;
  }
  return (x.len > y.len) - (x.len < y.len);
}

static bool write_value(const json_t *json, unsigned depth, struct buf *out, struct err *err);

static bool write_object(const json_t *json, unsigned depth, struct buf *out, struct err *err) {
  size_t count = json_object_size(json);
  AUTO(mem_auto_free) struct member *members = mem_array(count, sizeof(*members));
  // jansson iterates over objects it takes for mutable; nothing is changed here.
  json_t *object = (json_t *)(uintptr_t)json;
  size_t i = 0;
  for (void *at = json_object_iter(object); at; at = json_object_iter_next(object, at)) {
    members[i++] = (struct member){.key = {json_object_iter_key(at), json_object_iter_key_len(at)},
                                   .value = json_object_iter_value(at)};
  }
  qsort(members, count, sizeof(*members), compare_members);

  buf_add_char(out, '{');
  for (i = 0; i < count; i++) {
    if (i > 0) buf_add_char(out, ',');
    json_quote(out, members[i].key);
    buf_add_char(out, ':');
    if (!write_value(members[i].value, depth + 1, out, err)) return false;
  }
  buf_add_char(out, '}');
  return true;
}

static bool write_array(const json_t *json, unsigned depth, struct buf *out, struct err *err) {
  buf_add_char(out, '[');
  for (size_t i = 0; i < json_array_size(json); i++) {
    if (i > 0) buf_add_char(out, ',');
    if (!write_value(json_array_get(json, i), depth + 1, out, err)) return false;
  }
  buf_add_char(out, ']');
  return true;
}

static bool beyond_exact(const char *number, struct err *err) {
  return err_set(
      err, ERR_BAD_REQUEST,
      "The number %s is beyond 9007199254740992 (2^53), where integers are no longer exact; send it as a string.",
      number);
}

static bool write_integer(int64_t value, struct buf *out, struct err *err) {
  char text[24];
  snprintf(text, sizeof(text), "%" PRId64, value);
  if (value > EXACT_INTEGERS || value < -EXACT_INTEGERS) return beyond_exact(text, err);
  buf_add_c(out, text);
  return true;
}

static bool write_real(double value, struct buf *out, struct err *err) {
  char text[JSON_NUMBER_MAX];
  size_t len = json_number(value, text);
  double size = fabs(value);
  if (size > (double)EXACT_INTEGERS && size < PLAIN_NOTATION_END) return beyond_exact(text, err);
  buf_add(out, text, len);
  return true;
}

static bool write_value(const json_t *json, unsigned depth, struct buf *out, struct err *err) {
  switch (json_typeof(json)) {
  case JSON_OBJECT:
  case JSON_ARRAY:
    if (depth == JSON_MAX_DEPTH)
      return err_set(err, ERR_BAD_REQUEST, "The document nests deeper than %d levels; make it flatter.",
                     JSON_MAX_DEPTH);
    return json_is_object(json) ? write_object(json, depth, out, err) : write_array(json, depth, out, err);
  case JSON_STRING: json_quote(out, json_str(json)); return true;
  case JSON_INTEGER: return write_integer(json_integer_value(json), out, err);
  case JSON_REAL: return write_real(json_real_value(json), out, err);
  case JSON_TRUE: buf_add_c(out, "true"); return true;
  case JSON_FALSE: buf_add_c(out, "false"); return true;
  case JSON_NULL: buf_add_c(out, "null"); return true;
  }
  return err_set(err, ERR_INTERNAL, "A JSON value is of no known type.");
}

bool json_canonical(const json_t *json, struct buf *out, struct err *err) {
  size_t start = out->len;
  bool written = write_value(json, 0, out, err);
  if (written && out->over)
    written = err_set(err, ERR_BAD_REQUEST, "The canonical form of the document is larger than %zu bytes.",
                      out->cap_bytes - start);
  if (!written && out->data) {
    out->len = start;
    out->data[start] = '\0';
  }
  return written;
}
