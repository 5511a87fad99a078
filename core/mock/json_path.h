// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/json.h"
#include "base/str.h"

enum { JSON_PATH_SEGMENTS_MAX = 64 };

/// A path into a JSON document: RFC 9535 (JSONPath) as far as `$`, `.name`, `['name']`, `["name"]`, `[3]`, `[-1]`, `.*`
/// and `[*]` go. Descendants, slices, filters and unions are refused.
struct json_path;

/// ERR_BAD_REQUEST with what was expected and where (the byte in the path).
bool json_path_new(struct str text, struct json_path **ret_path, struct err *err);
void json_path_free(struct json_path *path); ///< accepts NULL
size_t json_path_bytes(const struct json_path *path);
struct str json_path_text(const struct json_path *path); ///< as it was written

/// Visits the values the path leads to, in document order (members in the order of json_object_iter), until `visit`
/// returns false. Visits each node of the document at most once for each segment.
void json_path_visit(const struct json_path *path, const json_t *document,
                     bool (*visit)(void *ctx, const json_t *value), void *ctx);
