// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stddef.h>

#include "base/json_writer.h"
#include "base/schema.h"

enum { OPENAPI_SCHEMAS_MAX = 256, OPENAPI_ERROR_SETS_MAX = 64 };

/// The document while it is written: its paths first, which notes what they refer to, then those components.
struct openapi {
  struct json_writer out;
  const struct schema *schemas[OPENAPI_SCHEMAS_MAX]; // named ones, each once
  size_t schema_count;
  unsigned error_sets[OPENAPI_ERROR_SETS_MAX]; // sets of ROUTE_ERR bits that have one status
  size_t error_set_count;
};

/// A shape as the value of `key`: a reference when it is named.
void openapi_schema(struct openapi *doc, const char *key, const struct schema *shape);

/// The answer, as the value of its status, for errors of `set`, which have that status in common.
void openapi_error_response(struct openapi *doc, unsigned status, unsigned set);

/// The answer, as the value of 405, to the methods that a path does not have.
void openapi_method_not_allowed(struct openapi *doc);

/// A parameter that many operations share, as an array's element: "tenant", "limit", "cursor", "newest_first",
/// "oldest_first", "last_event_id".
void openapi_parameter(struct openapi *doc, const char *name);

/// "components": what was referred to, and how requests are authenticated.
void openapi_components(struct openapi *doc);
