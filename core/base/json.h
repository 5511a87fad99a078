// SPDX-License-Identifier: Apache-2.0
#pragma once

// The one place where jansson's header enters: every other folder includes this file.
#include <jansson.h>
#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"

enum { JSON_MAX_DEPTH = 64 };

/// Reads exactly one JSON document (RFC 8259) of any kind. Refuses, with ERR_BAD_REQUEST, a sentence and
/// place = "line L, column C" (column in bytes, from 1): an empty text, a second document or anything else behind the
/// first, duplicate members (at any depth; the member is named), nesting deeper than JSON_MAX_DEPTH, malformed UTF-8,
/// NUL in a string ("\u0000"), integers outside int64, numbers that overflow a double. On success `*ret_json` is a new
/// reference (json_decref).
bool json_read(struct str text, json_t **ret_json, struct err *err);

/// Writes the canonical form (RFC 8785, JSON Canonicalization Scheme): members sorted by UTF-16 code units, numbers
/// as ECMAScript prints them, minimal escapes, no blanks. Refused with ERR_BAD_REQUEST, and `out` left as it was:
/// numbers that print as an integer beyond ±2^53 (they would not survive as doubles), nesting deeper than
/// JSON_MAX_DEPTH, and what does not fit `out`, which is then over. What is written can be read by json_read and gives
/// itself again.
bool json_canonical(const json_t *json, struct buf *out, struct err *err);

/// Member `key` as borrowed text; STR_NONE when absent or not a string.
struct str json_member_str(const json_t *object, const char *key);
/// The string's bytes, borrowed; STR_NONE when `json` is NULL or not a string.
struct str json_str(const json_t *json);

/// AUTO helper.
void json_auto_decref(json_t **json);
