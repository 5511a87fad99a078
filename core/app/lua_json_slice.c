// SPDX-License-Identifier: Apache-2.0
// Finds a member of a JSON object in its text. It relies on the text having been accepted by json_read: all that is
// left to do is to tell strings and brackets apart.
#include "app/lua_json.h"
#include "base/json.h"

static const char *skip_blanks(const char *at) {
  return at + strspn(at, " \t\r\n");
}

static const char *skip_string(const char *at) {
  for (at++; *at != '"'; at++)
    if (*at == '\\') at++;
  return at + 1;
}

static const char *skip_value(const char *at) {
  unsigned depth = 0;
  for (;;) {
    if (*at == '"') {
      at = skip_string(at);
    } else if (*at == '{' || *at == '[') {
      depth++;
      at++;
    } else if (*at == '}' || *at == ']') {
      depth--;
      at++;
    } else if (depth > 0) {
      at++;
    } else {
      return at + strcspn(at, ",}] \t\r\n");
    }
    if (depth == 0) return at;
  }
}

/// Whether the quoted name that starts at `quoted` is `name`, whatever its escapes.
static bool is_member(const char *quoted, const char *end, struct str name) {
  json_t *json = NULL;
  struct err err = {0};
  bool same = json_read((struct str){quoted, (size_t)(end - quoted)}, &json, &err) && str_eq(json_str(json), name);
  json_decref(json);
  return same;
}

bool json_slice_member(struct str text, struct str name, struct str *ret_value) {
  const char *at = skip_blanks(text.data);
  do {
    const char *key = skip_blanks(at + 1);
    const char *key_end = skip_string(key);
    const char *value = skip_blanks(skip_blanks(key_end) + 1);
    const char *value_end = skip_value(value);
    if (is_member(key, key_end, name)) {
      *ret_value = (struct str){value, (size_t)(value_end - value)};
      return true;
    }
    at = skip_blanks(value_end);
  } while (*at == ',');
  return false;
}
