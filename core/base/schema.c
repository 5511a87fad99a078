// SPDX-License-Identifier: Apache-2.0
// Checks JSON against its described shape. Names and counts come before values, so that a misspelt member is reported
// as such and not as another one that is missing. Where the check stands is a list on the stack, written out only when
// something is wrong. What prints a shape is in schema_write.c.
#include "base/schema.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "base/json_writer.h"
#include "base/mem.h"
#include "base/utf8.h"

enum { QUOTED_MAX_BYTES = 64, PATH_MAX_BYTES = 1024 };

// A step on the way to a value: a member's name, or an index when the name is absent.
struct place {
  const struct place *outer; // NULL at the document itself
  struct str name;
  size_t index;
};

static bool is_plain_name(struct str name) {
  for (size_t i = 0; i < name.len; i++) {
    char c = name.data[i];
    bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
    if (!plain) return false;
  }
  return name.len > 0;
}

static void write_path(const struct place *place, struct buf *path) {
  if (!place->outer) return;
  write_path(place->outer, path);
  if (!str_present(place->name)) {
    buf_addf(path, "[%zu]", place->index);
  } else if (is_plain_name(place->name)) {
    if (path->len > 0) buf_add_char(path, '.');
    buf_add_str(path, utf8_clamp(place->name, QUOTED_MAX_BYTES));
  } else {
    buf_add_char(path, '[');
    json_quote(path, utf8_clamp(place->name, QUOTED_MAX_BYTES));
    buf_add_char(path, ']');
  }
}

__attribute__((format(printf, 3, 4))) static bool refuse(const struct place *place, struct err *err, const char *fmt,
                                                         ...) {
  AUTO(buf_done) struct buf path;
  buf_init(&path, PATH_MAX_BYTES);
  write_path(place, &path);
  va_list args;
  va_start(args, fmt);
  err_vset_at(err, ERR_BAD_REQUEST, buf_str(&path).data, fmt, args);
  va_end(args);
  return false;
}

static const char *found_name(const json_t *json) {
  switch (json_typeof(json)) {
  case JSON_OBJECT: return "an object";
  case JSON_ARRAY: return "an array";
  case JSON_STRING: return "a string";
  case JSON_INTEGER: return "an integer";
  case JSON_REAL: return "a number with a fraction or exponent";
  case JSON_TRUE:
  case JSON_FALSE: return "a boolean";
  case JSON_NULL: return "null";
  }
  return "something else";
}

static const char *expected_name(enum schema_kind kind) {
  switch (kind) {
  case SCHEMA_ANY: return "any value";
  case SCHEMA_STRING: return "a string";
  case SCHEMA_INTEGER: return "an integer";
  case SCHEMA_NUMBER: return "a number";
  case SCHEMA_BOOLEAN: return "a boolean";
  case SCHEMA_ARRAY: return "an array";
  case SCHEMA_OBJECT:
  case SCHEMA_MAP: return "an object";
  case SCHEMA_ONE_OF: break; // see check_one_of
  }
  return "something else";
}

static bool is_kind(const json_t *json, enum schema_kind kind) {
  switch (kind) {
  case SCHEMA_ANY: return true;
  case SCHEMA_STRING: return json_is_string(json);
  case SCHEMA_INTEGER: return json_is_integer(json);
  case SCHEMA_NUMBER: return json_is_number(json);
  case SCHEMA_BOOLEAN: return json_is_boolean(json);
  case SCHEMA_ARRAY: return json_is_array(json);
  case SCHEMA_OBJECT:
  case SCHEMA_MAP: return json_is_object(json);
  case SCHEMA_ONE_OF: break; // see check_one_of
  }
  return false;
}

static bool check_value(const struct schema *shape, const json_t *json, const struct place *place, struct err *err);

static bool refuse_value(const char *const *values, struct str text, const struct place *place, struct err *err) {
  AUTO(buf_done) struct buf known;
  buf_init(&known, sizeof(err->msg));
  for (size_t i = 0; values[i]; i++) buf_addf(&known, "%s%s", i ? ", " : "", values[i]);
  struct str shown = utf8_clamp(text, QUOTED_MAX_BYTES);
  return refuse(place, err, "Unknown value '%.*s%s'; expected one of %s.", STR_ARG(shown),
                shown.len < text.len ? "…" : "", buf_str(&known).data);
}

static bool check_string(const struct schema *shape, const json_t *json, const struct place *place, struct err *err) {
  struct str text = json_str(json);
  if (shape->non_empty && text.len == 0) return refuse(place, err, "Must not be empty.");
  if (shape->strict_bytes && shape->max_bytes && text.len > shape->max_bytes)
    return refuse(place, err, "Expected at most %zu bytes, found %zu.", shape->max_bytes, text.len);
  if (!shape->values) return true;
  for (const char *const *value = shape->values; *value; value++) {
    if (str_eq(text, str_c(*value))) return true;
  }
  return refuse_value(shape->values, text, place, err);
}

static bool check_number(const struct schema *shape, const json_t *json, const struct place *place, struct err *err) {
  if (!shape->bounded) return true;
  if (json_is_real(json)) {
    double real = json_real_value(json);
    if (real >= (double)shape->min && real <= (double)shape->max) return true;
    return refuse(place, err, "Expected %s from %" PRId64 " to %" PRId64 ", found %g.", expected_name(shape->kind),
                  shape->min, shape->max, real);
  }
  int64_t integer = json_integer_value(json);
  if (integer >= shape->min && integer <= shape->max) return true;
  return refuse(place, err, "Expected %s from %" PRId64 " to %" PRId64 ", found %" PRId64 ".",
                expected_name(shape->kind), shape->min, shape->max, integer);
}

static bool check_array(const struct schema *shape, const json_t *json, const struct place *place, struct err *err) {
  size_t count = json_array_size(json);
  if (shape->non_empty && count == 0) return refuse(place, err, "Must not be empty.");
  for (size_t i = 0; shape->items && i < count; i++) {
    struct place inner = {.outer = place, .index = i};
    if (!check_value(shape->items, json_array_get(json, i), &inner, err)) return false;
  }
  return true;
}

static const struct schema_member *member_named(const struct schema *shape, struct str name) {
  const struct schema_member *member = shape->members;
  while (member && member->name && !str_eq(str_c(member->name), name)) member++;
  return member && member->name ? member : NULL;
}

static size_t member_count(const struct schema *shape) {
  size_t count = 0;
  while (shape->members && shape->members[count].name) count++;
  return count;
}

static bool refuse_member(const struct schema *shape, struct str name, const struct place *place, struct err *err) {
  size_t count = member_count(shape);
  AUTO(mem_auto_free) const char **names = mem_array(count + 1, sizeof(*names));
  AUTO(buf_done) struct buf known;
  buf_init(&known, sizeof(err->msg));
  for (size_t i = 0; i < count; i++) {
    names[i] = shape->members[i].name;
    buf_addf(&known, "%s%s", i ? ", " : "", names[i]);
  }
  struct place inner = {.outer = place, .name = name};
  struct str shown = utf8_clamp(name, QUOTED_MAX_BYTES);
  const char *cut = shown.len < name.len ? "…" : "";
  const char *nearest = str_nearest(name, names);
  if (nearest) return refuse(&inner, err, "Unknown member '%.*s%s'; did you mean '%s'?", STR_ARG(shown), cut, nearest);
  if (count == 0) return refuse(&inner, err, "Unknown member '%.*s%s'; none is known here.", STR_ARG(shown), cut);
  return refuse(&inner, err, "Unknown member '%.*s%s'; known are %s.", STR_ARG(shown), cut, buf_str(&known).data);
}

// jansson iterates over objects it takes for mutable; nothing is changed here.
static json_t *iterable(const json_t *json) {
  return (json_t *)(uintptr_t)json;
}

static bool check_names(const struct schema *shape, const json_t *json, const struct place *place, struct err *err) {
  size_t known = 0;
  const struct schema_member *missing = NULL;
  for (const struct schema_member *member = shape->members; member && member->name; member++) {
    if (json_object_get(json, member->name)) {
      known++;
    } else if (member->required && !missing) {
      missing = member;
    }
  }
  json_t *object = iterable(json);
  for (void *at = json_object_iter(object); at && known < json_object_size(json);
       at = json_object_iter_next(object, at)) {
    struct str name = {json_object_iter_key(at), json_object_iter_key_len(at)};
    if (!member_named(shape, name)) return refuse_member(shape, name, place, err);
  }
  if (!missing) return true;
  struct place inner = {.outer = place, .name = str_c(missing->name)};
  return refuse(&inner, err, "Member '%s' is missing.", missing->name);
}

static bool check_object(const struct schema *shape, const json_t *json, const struct place *place, struct err *err) {
  if (!check_names(shape, json, place, err)) return false;
  for (const struct schema_member *member = shape->members; member && member->name; member++) {
    const json_t *value = json_object_get(json, member->name);
    struct place inner = {.outer = place, .name = str_c(member->name)};
    if (value && !check_value(member->shape, value, &inner, err)) return false;
  }
  return true;
}

static bool check_map(const struct schema *shape, const json_t *json, const struct place *place, struct err *err) {
  json_t *object = iterable(json);
  for (void *at = json_object_iter(object); at; at = json_object_iter_next(object, at)) {
    struct place inner = {.outer = place, .name = {json_object_iter_key(at), json_object_iter_key_len(at)}};
    const struct schema_member *member = member_named(shape, inner.name);
    const struct schema *value = member ? member->shape : shape->items;
    if (value && !check_value(value, json_object_iter_value(at), &inner, err)) return false;
  }
  return true;
}

static bool check_one_of(const struct schema *shape, const json_t *json, const struct place *place, struct err *err) {
  AUTO(buf_done) struct buf expected;
  buf_init(&expected, sizeof(err->msg));
  for (const struct schema *const *one = shape->alternatives; *one; one++) {
    if (is_kind(json, (*one)->kind)) return check_value(*one, json, place, err);
    buf_addf(&expected, "%s%s", expected.len ? " or " : "", expected_name((*one)->kind));
  }
  return refuse(place, err, "Expected %s, found %s.", buf_str(&expected).data, found_name(json));
}

static bool check_value(const struct schema *shape, const json_t *json, const struct place *place, struct err *err) {
  if (shape->nullable && json_is_null(json)) return true;
  if (shape->kind == SCHEMA_ONE_OF) return check_one_of(shape, json, place, err);
  if (!is_kind(json, shape->kind))
    return refuse(place, err, "Expected %s%s, found %s.", expected_name(shape->kind), shape->nullable ? " or null" : "",
                  found_name(json));
  switch (shape->kind) {
  case SCHEMA_ANY:
  case SCHEMA_BOOLEAN: return true;
  case SCHEMA_STRING: return check_string(shape, json, place, err);
  case SCHEMA_INTEGER:
  case SCHEMA_NUMBER: return check_number(shape, json, place, err);
  case SCHEMA_ARRAY: return check_array(shape, json, place, err);
  case SCHEMA_OBJECT: return check_object(shape, json, place, err);
  case SCHEMA_MAP: return check_map(shape, json, place, err);
  case SCHEMA_ONE_OF: break; // above
  }
  return false;
}

bool schema_check(const struct schema *shape, const json_t *json, struct err *err) {
  struct place document = {0};
  return check_value(shape, json, &document, err);
}
