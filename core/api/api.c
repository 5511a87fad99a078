// SPDX-License-Identifier: Apache-2.0
// The way in. Every request passes the same checks in the same order, driven by its row in the route table; a handler
// sees only a request that is allowed and well-formed:
//
//   route → no header twice → set up at all? → who (bearer token) → tenant → module on? → role → path id → query → body
//
// A refusal says nothing that a later check would have told: an id of another tenant is looked up like an absent one,
// by the handler, in the caller's tenant.
#include <stdio.h>

#include "access/accounts.h"
#include "access/modules.h"
#include "api/api_private.h"
#include "api/call.h"
#include "base/mem.h"
#include "base/utf8.h"

struct api *api_new(const struct api_config *config) {
  struct api *api = mem_zalloc(sizeof *api);
  api->config = *config;
  return api;
}

void api_free(struct api *api) {
  free(api);
}
void api_set_server(struct api *api, const struct http_server *server) {
  api->server = server;
}
void api_set_draining(struct api *api) {
  api->draining = true;
}
unsigned api_calls_under_way(const struct api *api) {
  return api->under_way;
}

// ---- the checks ----

/// Two tokens, or two tenants: which one counts, no two programs agree on.
static bool check_headers(struct api_call *call) {
  const char *repeated = call->exchange->request.repeated_field;
  return !repeated || err_set_at(&call->err, ERR_BAD_REQUEST, repeated, "The header %s is given twice.", repeated);
}

static bool check_setup(struct api_call *call) {
  struct api *api = call->api;
  if (api->set_up || call->exchange->request.local) return true;
  bool required;
  if (!accounts_setup_required(call_reader(call), &required, &call->err)) return false;
  if (required)
    return err_set(
        &call->err, ERR_SETUP_REQUIRED,
        "Nobody has set up this engine yet: run `olivares setup`, or POST /v1/setup with the token that it printed.");
  api->set_up = true; // users are never removed
  return true;
}

static bool check_principal(struct api_call *call) {
  if (call->exchange->request.local) {
    principal_local(&call->who);
    return true;
  }
  return principal_authenticate(call_reader(call), call->exchange->request.authorization, call->now_ns, &call->who,
                                &call->err);
}

static bool check_module(struct api_call *call) {
  const char *module = call->route->module;
  if (!module) return true;
  bool enabled;
  if (!module_enabled(call_reader(call), call->tenant, module, &enabled, &call->err)) return false;
  if (!enabled)
    return err_set(&call->err, ERR_MODULE_OFF,
                   "The module '%s' is off for this tenant; switch it on with `olivares modules on %s`.", module,
                   module);
  return true;
}

static bool check_role(struct api_call *call) {
  switch (call->route->need) {
  case NEED_NOTHING:
  case NEED_PRINCIPAL: return true;
  case NEED_SUPERADMIN: return call->who.superadmin || err_set(&call->err, ERR_FORBIDDEN, "This needs a superadmin.");
  case NEED_VIEWER: return principal_require(&call->who, ROLE_VIEWER, &call->err);
  case NEED_EDITOR: return principal_require(&call->who, ROLE_EDITOR, &call->err);
  case NEED_ADMIN: return principal_require(&call->who, ROLE_ADMIN, &call->err);
  case NEED_OWNER: return principal_require(&call->who, ROLE_OWNER, &call->err);
  }
  return false;
}

/// The tenant that the request names: in its header or, where a route lets the body do that, in the body. What is wrong
/// with the body is said when it is its turn.
static struct str tenant_of(struct api_call *call) {
  const struct http_request *request = &call->exchange->request;
  if (str_present(request->tenant) || !call->route->tenant_in_body) return request->tenant;
  struct err ignored = {0};
  struct id tenant;
  if (!call->body && !json_read(request->body, &call->body, &ignored)) return STR_NONE;
  struct str named = call_text(call, "tenant");
  return str_present(named) && id_parse(named, &tenant) ? named : STR_NONE;
}

static bool check_access(struct api_call *call) {
  enum route_need need = call->route->need;
  if (need == NEED_NOTHING) return true;
  if (!check_setup(call) || !check_principal(call)) return false;
  if (need >= NEED_VIEWER) {
    if (!principal_enter(call_reader(call), &call->who, tenant_of(call), &call->err)) return false;
    call->tenant = call->who.tenant;
  }
  return check_module(call) && check_role(call);
}

static bool check_path(struct api_call *call, const struct str values[2]) {
  if (!strchr(call->route->path, '{')) return true;
  return id_parse(values[0], &call->path_id) ||
         err_set_at(&call->err, ERR_BAD_REQUEST, "id", "The id in the path is not a lower-case UUIDv7.");
}

static bool check_body(struct api_call *call) {
  const struct http_request *request = &call->exchange->request;
  const struct schema *shape = call->route->body;
  if (!shape) {
    bool sent = request->body.len > 0 || request->body_too_large;
    if (sent && call->route->method != HTTP_GET)
      return err_set(&call->err, ERR_BAD_REQUEST, "This route takes no body.");
    return true;
  }
  if (request->body_too_large)
    return err_set(&call->err, ERR_REQUEST_BODY_TOO_LARGE, "The body is longer than %d bytes.", HTTP_BODY_MAX_BYTES);
  if (request->body.len == 0 && call->route->body_optional) {
    call->body = json_object();
    return true;
  }
  if (!call->body && !json_read(request->body, &call->body, &call->err)) return false;
  return schema_check(shape, call->body, &call->err);
}

// ---- dispatch ----

static struct api_call *call_new(struct api *api, struct http_exchange *exchange, const struct route *route) {
  struct api_call *call = arena_alloc(exchange->arena, sizeof *call);
  call->api = api;
  call->config = &api->config;
  call->exchange = exchange;
  call->route = route;
  call->arena = exchange->arena;
  call->now_ns = clock_wall_ns(&api->config.clock);
  jw_init(&call->out, &exchange->body);
  api->under_way++;
  return call;
}

/// A stranger's bytes as an error document, which is UTF-8, can hold them.
static struct str shown(struct str bytes) {
  return utf8_valid(bytes, NULL) ? bytes : STR("(not UTF-8)");
}

static void answer_no_route(struct api_call *call, unsigned allowed) {
  struct http_exchange *exchange = call->exchange;
  if (!allowed) {
    struct str method = shown(exchange->request.method_name), path = shown(exchange->request.path);
    err_set(&call->err, ERR_NOT_FOUND, "There is no route %.*s %.*s; GET /openapi.json lists all.", STR_ARG(method),
            STR_ARG(path));
    call_fail(call, &call->err);
    return;
  }
  struct buf methods;
  buf_init(&methods, 128);
  for (unsigned m = HTTP_GET; m < HTTP_OTHER; m++)
    if (allowed & (1u << m)) buf_addf(&methods, "%s%s", methods.len ? ", " : "", http_method_name((enum http_method)m));
  exchange->allow = arena_str(call->arena, buf_str(&methods));
  buf_done(&methods);
  err_set(&call->err, ERR_BAD_REQUEST, "This path takes %.*s.", STR_ARG(exchange->allow));
  call_fail_as(call, 405, &call->err);
}

static void handle(void *ctx, struct http_exchange *exchange) {
  struct api *api = ctx;
  struct str values[2];
  unsigned allowed;
  const struct route *route = route_find(exchange->request.method, exchange->request.path, values, &allowed);
  struct api_call *call = call_new(api, exchange, route);
  if (!route)
    answer_no_route(call, allowed);
  else if (check_headers(call) && check_access(call) && check_path(call, values) && query_read(call) &&
           check_body(call))
    route->handle(call);
  else
    call_fail(call, &call->err);
}

struct http_handler api_handler(struct api *api) {
  return (struct http_handler){handle, api};
}
