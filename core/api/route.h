// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/schema.h"
#include "http/http.h"

struct api_call;

/// Who may call a route. From VIEWER on, a tenant is chosen first.
enum route_need { NEED_NOTHING, NEED_PRINCIPAL, NEED_SUPERADMIN, NEED_VIEWER, NEED_EDITOR, NEED_ADMIN, NEED_OWNER };

struct route_param {
  const char *name; ///< NULL ends the list
  const struct schema *shape;
  const char *doc;
};

enum { ROUTE_PARAMS_MAX = 8 };

/// One row of the route table: what dispatch checks, what OpenAPI shows, what the docs are compared with.
struct route {
  enum http_method method;
  const char *path;      ///< "/v1/m/sandbox/runs/{id}"; segments in braces match one segment
  const char *operation; ///< unique, e.g. "runs.get"; OpenAPI's operationId
  const char *summary;   ///< one sentence
  enum route_need need;
  const char *module;               ///< switchable module it belongs to, or NULL
  const struct schema *body;        ///< NULL: a body is refused
  bool body_optional;               ///< an absent body reads as {}
  const struct route_param *params; ///< query parameters beside the paging ones, or NULL
  bool tenant_optional;             ///< takes X-Olivares-Tenant although it needs no tenant
  bool tenant_in_body;              ///< the body's `tenant` is entered when no X-Olivares-Tenant is sent
  bool oldest_first;                ///< default order of a paged route
  bool paged;                       ///< takes limit, cursor, order; answers a list of `reply` items
  unsigned status;                  ///< of success
  unsigned status_also;             ///< a second success status (202), or 0
  const struct schema *reply;       ///< shape of the answer (of one item when paged); NULL = content_type says all
  const char *content_type;         ///< NULL = application/json
  unsigned errors;                  ///< ROUTE_ERR bits beyond those that follow from the fields above
  void (*handle)(struct api_call *call);
};
#define ROUTE_ERR(code) (1u << (code))

/// The tables, each ending with a row whose path is NULL.
extern const struct route platform_routes[];
extern const struct route sandbox_routes[];

/// All tables, NULL-terminated.
extern const struct route *const route_tables[];

/// What answers `method path`. On no match `*ret_allowed` is a bit set of the methods (1u << enum http_method) that the
/// path has, 0 for no such path. Segments in braces go to `ret_values` (at most 2).
const struct route *route_find(enum http_method method, struct str path, struct str ret_values[2],
                               unsigned *ret_allowed);

/// Every error code a route can answer, as ROUTE_ERR bits: those that follow from its fields and its own.
unsigned route_errors(const struct route *route);

/// The HTTP status of an error code.
unsigned route_error_status(enum err_code code);
