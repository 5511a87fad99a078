// SPDX-License-Identifier: Apache-2.0
// Finding a route, and what follows from a route's fields: its errors and their statuses.
#include "api/route.h"

const struct route *const route_tables[] = {sandbox_routes, platform_routes, NULL};

/// Whether `path` fits the pattern; values of segments in braces go to `ret_values`.
static bool fits(const char *pattern, struct str path, struct str ret_values[2]) {
  struct str rest_pattern = str_c(pattern), rest_path = path;
  size_t values = 0;
  while (str_present(rest_pattern) && str_present(rest_path)) {
    struct str want = str_cut(&rest_pattern, '/'), have = str_cut(&rest_path, '/');
    bool is_value = want.len > 0 && want.data[0] == '{';
    if (is_value && have.len > 0)
      ret_values[values++] = have;
    else if (is_value || !str_eq(want, have))
      return false;
  }
  return !str_present(rest_pattern) && !str_present(rest_path);
}

const struct route *route_find(enum http_method method, struct str path, struct str ret_values[2],
                               unsigned *ret_allowed) {
  *ret_allowed = 0;
  for (const struct route *const *table = route_tables; *table; table++) {
    for (const struct route *route = *table; route->path; route++) {
      if (!fits(route->path, path, ret_values)) continue;
      if (route->method == method) return route;
      *ret_allowed |= 1u << route->method;
    }
  }
  return NULL;
}

unsigned route_errors(const struct route *route) {
  unsigned errors = route->errors | ROUTE_ERR(ERR_INTERNAL) | ROUTE_ERR(ERR_BAD_REQUEST);
  if (route->need != NEED_NOTHING)
    errors |= ROUTE_ERR(ERR_UNAUTHENTICATED) | ROUTE_ERR(ERR_SETUP_REQUIRED) | ROUTE_ERR(ERR_UNAVAILABLE);
  if (route->need >= NEED_SUPERADMIN) errors |= ROUTE_ERR(ERR_FORBIDDEN);
  if (route->module) errors |= ROUTE_ERR(ERR_MODULE_OFF);
  if (strchr(route->path, '{')) errors |= ROUTE_ERR(ERR_NOT_FOUND);
  if (route->body) errors |= ROUTE_ERR(ERR_REQUEST_BODY_TOO_LARGE) | ROUTE_ERR(ERR_UNAVAILABLE);
  return errors;
}

unsigned route_error_status(enum err_code code) {
  switch (code) {
  case ERR_NONE:
  case ERR_INTERNAL: return 500;
  case ERR_BAD_REQUEST: return 400;
  case ERR_UNAUTHENTICATED: return 401;
  case ERR_FORBIDDEN: return 403;
  case ERR_NOT_FOUND:
  case ERR_MODULE_OFF: return 404;
  case ERR_CONFLICT:
  case ERR_SETUP_REQUIRED:
  case ERR_SETUP_COMPLETE: return 409;
  case ERR_REQUEST_BODY_TOO_LARGE: return 413;
  case ERR_INVALID_SCRIPT: return 422;
  case ERR_RATE_LIMITED: return 429;
  case ERR_UNAVAILABLE:
  case ERR_ISOLATION_UNAVAILABLE: return 503;
  }
  return 500;
}
