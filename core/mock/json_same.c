// SPDX-License-Identifier: Apache-2.0
// Equality of JSON values as people mean it. jansson's own takes 1 and 1.0 for two, since it keeps them as two types.
#include "mock/json_same.h"

#include <stdint.h>

static bool same_number(const json_t *a, const json_t *b) {
  if (json_is_integer(a) && json_is_integer(b)) return json_integer_value(a) == json_integer_value(b);
  if (json_is_real(a) && json_is_real(b))
    return json_real_value(a) >= json_real_value(b) && json_real_value(a) <= json_real_value(b);
  double real = json_is_real(a) ? json_real_value(a) : json_real_value(b);
  int64_t integer = json_is_integer(a) ? json_integer_value(a) : json_integer_value(b);
  static const double two_to_63 = 9223372036854775808.0;
  // Within ±2^63 the conversion is defined, and it is exact when the real is a whole number.
  if (real < -two_to_63 || real >= two_to_63) return false;
  int64_t whole = (int64_t)real;
  return whole == integer && (double)whole >= real && (double)whole <= real;
}

static bool same_object(const json_t *a, const json_t *b) {
  if (json_object_size(a) != json_object_size(b)) return false;
  json_t *object = (json_t *)(uintptr_t)a;
  for (void *at = json_object_iter(object); at; at = json_object_iter_next(object, at)) {
    const json_t *other = json_object_getn(b, json_object_iter_key(at), json_object_iter_key_len(at));
    if (!other || !json_same(json_object_iter_value(at), other)) return false;
  }
  return true;
}

bool json_same(const json_t *a, const json_t *b) {
  if (json_is_number(a) && json_is_number(b)) return same_number(a, b);
  if (json_typeof(a) != json_typeof(b)) return false;
  if (json_is_object(a)) return same_object(a, b);
  if (!json_is_array(a)) return json_equal(a, b);
  if (json_array_size(a) != json_array_size(b)) return false;
  for (size_t i = 0; i < json_array_size(a); i++)
    if (!json_same(json_array_get(a, i), json_array_get(b, i))) return false;
  return true;
}

static bool object_contains(const json_t *value, const json_t *part) {
  json_t *object = (json_t *)(uintptr_t)part;
  for (void *at = json_object_iter(object); at; at = json_object_iter_next(object, at)) {
    const json_t *other = json_object_getn(value, json_object_iter_key(at), json_object_iter_key_len(at));
    if (!other || !json_contains(other, json_object_iter_value(at))) return false;
  }
  return true;
}

bool json_contains(const json_t *value, const json_t *part) {
  if (json_typeof(value) != json_typeof(part) || !(json_is_object(part) || json_is_array(part)))
    return json_same(value, part);
  if (json_is_object(part)) return object_contains(value, part);
  size_t found = 0;
  for (size_t i = 0; i < json_array_size(value) && found < json_array_size(part); i++)
    if (json_contains(json_array_get(value, i), json_array_get(part, found))) found++;
  return found == json_array_size(part);
}
