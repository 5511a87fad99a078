// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/json.h"

// One description of a JSON shape, written as static data. The same value checks what a stranger sends, checks what the
// engine answers (in developer builds), and prints the JSON Schema of the OpenAPI document, so that the three can't
// drift apart.

enum schema_kind {
  SCHEMA_ANY,
  SCHEMA_STRING,
  SCHEMA_INTEGER,
  SCHEMA_NUMBER,
  SCHEMA_BOOLEAN,
  SCHEMA_ARRAY,
  SCHEMA_OBJECT, ///< closed: only the members listed
  SCHEMA_MAP,    ///< any member name, each value of shape `items`; those in `members` have their own and may be absent
  SCHEMA_ONE_OF, ///< the first of `alternatives` that is of the value's JSON type
};

struct schema;

struct schema_member {
  const char *name;
  const struct schema *shape;
  bool required;
  const char *doc; ///< one sentence; may be NULL
};

struct schema {
  enum schema_kind kind;
  const char *name;                         ///< component name in OpenAPI, e.g. "Scenario"; NULL = written in place
  const char *doc;                          ///< one sentence; may be NULL
  const char *format;                       ///< strings: "uuid", "date-time", …, shown only; may be NULL
  const char *const *values;                ///< strings: the closed set (NULL-terminated), or NULL
  const struct schema_member *members;      ///< objects: ends with a member whose name is NULL
  const struct schema *items;               ///< arrays and maps: shape of each value (NULL = any)
  const struct schema *const *alternatives; ///< NULL-terminated; no two of one JSON type, none of them a ONE_OF
  int64_t min, max;                         ///< integers, numbers: bounds (inclusive) when `bounded`
  bool bounded;
  bool nullable;     ///< null is accepted too
  bool non_empty;    ///< strings, arrays: at least one
  size_t max_bytes;  ///< strings: text limit in UTF-8 bytes, shown as "x-max-bytes"; 0 = none. Enforced by
                     ///< `strict_bytes` alone, since over-long stored text is clamped by the module that stores it
  bool strict_bytes; ///< refuse instead of leaving it to a clamp
};

/// Checks `json` against `shape`. On failure ERR_BAD_REQUEST with place = the path ("steps[0].input"), a message that
/// says what was expected and what was found, and for an unknown member the nearest valid name.
bool schema_check(const struct schema *shape, const json_t *json, struct err *err);

/// Appends the JSON Schema (2020-12, as OpenAPI 3.1 embeds it). A named sub-shape becomes
/// {"$ref":"#/components/schemas/Name"}, with an anyOf around it where null is accepted too; `shape` itself is written
/// out even when named, and then without its `nullable`, which belongs to the places that refer to it.
void schema_write(const struct schema *shape, struct buf *out);

/// Calls `visit` for `shape`, if it is named, and for every named shape reachable from it, as often as it is reached
/// (duplicates are the caller's to remember). A shape may contain itself.
void schema_walk(const struct schema *shape, void (*visit)(const struct schema *named, void *ctx), void *ctx);
