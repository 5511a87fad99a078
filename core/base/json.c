// SPDX-License-Identifier: Apache-2.0
// Reading JSON. jansson parses; what it would accept and this project does not (deep nesting) is looked for beforehand,
// and json_fault.c explains what it refuses. The canonical form is in json_canonical.c.
#include "base/json.h"

#include "base/json_fault.h"

// Offset behind the string whose opening quote is at `at`. Text that is not JSON gets any answer.
static size_t skip_string(struct str text, size_t at) {
  for (at++; at < text.len && text.data[at] != '"'; at++) {
    if (text.data[at] == '\\') at++;
  }
  return at + 1;
}

// Offset of the bracket that opens a level too many, or text.len.
static size_t find_too_deep(struct str text) {
  unsigned depth = 0;
  for (size_t at = 0; at < text.len;) {
    char c = text.data[at];
    if (c == '"') {
      at = skip_string(text, at);
      continue;
    }
    if (c == '[' || c == '{') {
      if (depth == JSON_MAX_DEPTH) return at;
      depth++;
    } else if ((c == ']' || c == '}') && depth > 0) {
      depth--;
    }
    at++;
  }
  return text.len;
}

bool json_read(struct str text, json_t **ret_json, struct err *err) {
  size_t too_deep_at = find_too_deep(text);
  if (too_deep_at < text.len)
    return json_fault_at(text, too_deep_at, err, "The document nests deeper than %d levels; make it flatter.",
                         JSON_MAX_DEPTH);
  json_error_t refusal;
  json_t *json = json_loadb(text.len ? text.data : "", text.len, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &refusal);
  if (!json) return json_fault(text, (size_t)refusal.position, refusal.text, err);
  *ret_json = json;
  return true;
}

struct str json_str(const json_t *json) {
  if (!json_is_string(json)) return STR_NONE;
  return (struct str){json_string_value(json), json_string_length(json)};
}

struct str json_member_str(const json_t *object, const char *key) {
  return json_str(json_object_get(object, key));
}

void json_auto_decref(json_t **json) {
  json_decref(*json);
}
