// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/str.h"

/// Writes one JSON document into a buffer, without building it in memory first. The caller keeps the nesting right
/// (asserted); commas and escapes are the writer's. Text must be well-formed UTF-8. Whether all fitted is the
/// buffer's `over`.
struct json_writer {
  struct buf *buf; // borrowed
  unsigned depth;
  uint64_t objects; // bit d: the level d + 1 is an object
  bool need_comma;
  bool named; // jw_key wrote the name of the value that comes next
};

void jw_init(struct json_writer *w, struct buf *buf);

/// `key` is NULL inside an array or at the top, a member name inside an object.
void jw_object(struct json_writer *w, const char *key);
void jw_object_end(struct json_writer *w);
void jw_array(struct json_writer *w, const char *key);
void jw_array_end(struct json_writer *w);
void jw_str(struct json_writer *w, const char *key, struct str text);
void jw_c(struct json_writer *w, const char *key, const char *text);
void jw_int(struct json_writer *w, const char *key, int64_t value);
void jw_real(struct json_writer *w, const char *key, double value); ///< finite; shortest form that reads back equal
void jw_bool(struct json_writer *w, const char *key, bool value);
void jw_null(struct json_writer *w, const char *key);
/// A value that is JSON already (trusted text, e.g. from the store); absent or empty text is written as null.
void jw_raw(struct json_writer *w, const char *key, struct str json);
/// Like the above with a member name that is not a C literal (objects only).
void jw_key(struct json_writer *w, struct str key); ///< the next value call then passes key = NULL

/// Appends `text` as a JSON string with its quotes.
void json_quote(struct buf *buf, struct str text);
