// SPDX-License-Identifier: Apache-2.0
// The query component of a request target (RFC 3986, section 3.4) read as form fields
// (application/x-www-form-urlencoded, WHATWG URL, section 5.1), with two differences: what does not decode to clean
// UTF-8 is refused instead of repaired, since a filter that was repaired would silently select something else, and an
// empty parameter is refused instead of left out, since it may be the rest of one that got lost.
#include <stdint.h>

#include "base/utf8.h"
#include "http/http.h"

enum { QUERY_PARAMS_MAX = 64 };

static int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// Decodes into the arena. False for a bad escape, a NUL, malformed UTF-8.
static bool decode(struct arena *arena, struct str raw, struct str *ret_text) {
  char *text = arena_alloc(arena, raw.len + 1);
  size_t len = 0;
  for (size_t i = 0; i < raw.len; i++) {
    char c = raw.data[i];
    if (c == '+') {
      c = ' ';
    } else if (c == '%') {
      int high = raw.len - i > 2 ? hex_digit(raw.data[i + 1]) : -1;
      int low = high >= 0 ? hex_digit(raw.data[i + 2]) : -1;
      if (low < 0) return false;
      c = (char)(high * 16 + low);
      i += 2;
    }
    if (c == '\0') return false;
    text[len++] = c;
  }
  *ret_text = (struct str){text, len};
  return utf8_valid(*ret_text, NULL);
}

static bool decode_param(struct arena *arena, struct str field, struct http_param *ret_param) {
  struct str value = field;
  struct str name = str_cut(&value, '=');
  if (!str_present(value)) value = STR("");
  return decode(arena, name, &ret_param->name) && decode(arena, value, &ret_param->value);
}

bool http_query_parse(struct arena *arena, struct str query, const struct http_param **ret_params, size_t *ret_count) {
  struct str fields[QUERY_PARAMS_MAX];
  size_t count = 0;
  struct str rest = query.len > 0 ? query : STR_NONE;
  while (str_present(rest)) {
    struct str field = str_cut(&rest, '&');
    if (field.len == 0 || count == QUERY_PARAMS_MAX) return false;
    fields[count++] = field;
  }
  struct http_param *params = NULL;
  if (count > 0) params = arena_alloc(arena, count * sizeof *params);
  for (size_t i = 0; i < count; i++) {
    if (!decode_param(arena, fields[i], &params[i])) return false;
  }
  *ret_params = params;
  *ret_count = count;
  return true;
}
