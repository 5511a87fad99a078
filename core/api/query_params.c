// SPDX-License-Identifier: Apache-2.0
// A request's query against its route: an unknown name, a repeated one or an unknown value is refused, so that a
// misspelt filter never looks like an empty list.
#include "api/api_private.h"
#include "api/page.h"
#include "base/id.h"

static const char *const paging_names[] = {"limit", "order", "cursor"};
enum { PAGING_COUNT = 3 };

static bool one_of(const char *const *values, struct str value) {
  for (; *values; values++)
    if (str_eq(str_c(*values), value)) return true;
  return false;
}

static bool refuse_value(struct api_call *call, const struct route_param *param, struct str value) {
  struct buf expected;
  buf_init(&expected, 512);
  for (const char *const *v = param->shape->values; *v; v++) buf_addf(&expected, "%s%s", expected.len ? ", " : "", *v);
  err_set_at(&call->err, ERR_BAD_REQUEST, param->name, "Unknown value '%.*s'; expected one of %.*s.", STR_ARG(value),
             STR_ARG(buf_str(&expected)));
  buf_done(&expected);
  return false;
}

static bool check_text(struct api_call *call, const struct route_param *param, struct str value) {
  const struct schema *shape = param->shape;
  struct id id;
  if (shape->values && !one_of(shape->values, value)) return refuse_value(call, param, value);
  if (shape->format && strcmp(shape->format, "uuid") == 0 && !id_parse(value, &id))
    return err_set_at(&call->err, ERR_BAD_REQUEST, param->name, "Expected a lower-case UUIDv7.");
  if (shape->non_empty && value.len == 0)
    return err_set_at(&call->err, ERR_BAD_REQUEST, param->name, "Must not be empty.");
  if (shape->max_bytes && value.len > shape->max_bytes)
    return err_set_at(&call->err, ERR_BAD_REQUEST, param->name, "The text has %zu bytes, the limit is %zu.", value.len,
                      shape->max_bytes);
  return true;
}

static bool check_value(struct api_call *call, const struct route_param *param, struct str value) {
  const struct schema *shape = param->shape;
  int64_t number;
  if (shape->kind == SCHEMA_BOOLEAN)
    return str_eq(value, STR("true")) || str_eq(value, STR("false")) ||
           err_set_at(&call->err, ERR_BAD_REQUEST, param->name, "Expected true or false.");
  if (shape->kind == SCHEMA_INTEGER)
    return (canonical_int(value, &number) && (!shape->bounded || (number >= shape->min && number <= shape->max))) ||
           err_set_at(&call->err, ERR_BAD_REQUEST, param->name, "Expected an integer from %lld to %lld.",
                      (long long)shape->min, (long long)shape->max);
  return check_text(call, param, value);
}

static bool refuse_name(struct api_call *call, struct str name) {
  const char *known[ROUTE_PARAMS_MAX + PAGING_COUNT + 1] = {0};
  size_t count = 0;
  for (const struct route_param *p = call->route->params; p && p->name; p++) known[count++] = p->name;
  for (size_t i = 0; call->route->paged && i < PAGING_COUNT; i++) known[count++] = paging_names[i];
  struct buf list;
  buf_init(&list, 512);
  for (size_t i = 0; i < count; i++) buf_addf(&list, "%s%s", i ? ", " : "", known[i]);
  const char *near = str_nearest(name, known);
  char *place = arena_strdup(call->arena, name);
  if (near)
    err_set_at(&call->err, ERR_BAD_REQUEST, place, "Unknown parameter '%s'; did you mean '%s'?", place, near);
  else if (count)
    err_set_at(&call->err, ERR_BAD_REQUEST, place, "Unknown parameter '%s'; this route takes %.*s.", place,
               STR_ARG(buf_str(&list)));
  else
    err_set_at(&call->err, ERR_BAD_REQUEST, place, "Unknown parameter '%s'; this route takes none.", place);
  buf_done(&list);
  return false;
}

/// Where the value of `name` goes; NULL when the route has no such parameter.
static struct str *slot_of(struct api_call *call, struct str name, struct str paging[PAGING_COUNT],
                           const struct route_param **ret_param) {
  *ret_param = NULL;
  for (size_t i = 0; call->route->params && call->route->params[i].name; i++) {
    if (!str_eq(str_c(call->route->params[i].name), name)) continue;
    *ret_param = &call->route->params[i];
    return &call->params[i];
  }
  for (size_t i = 0; call->route->paged && i < PAGING_COUNT; i++)
    if (str_eq(str_c(paging_names[i]), name)) return &paging[i];
  return NULL;
}

bool query_read(struct api_call *call) {
  const struct http_request *request = &call->exchange->request;
  if (request->query_malformed)
    return err_set_at(
        &call->err, ERR_BAD_REQUEST, "query",
        "The query is not well-formed: bad percent-encoding, not UTF-8, an empty parameter, or too many parameters.");
  struct str paging[PAGING_COUNT] = {STR_NONE, STR_NONE, STR_NONE};
  for (size_t i = 0; i < request->query_count; i++) {
    const struct http_param *sent = &request->query[i];
    const struct route_param *param;
    struct str *slot = slot_of(call, sent->name, paging, &param);
    if (!slot) return refuse_name(call, sent->name);
    if (str_present(*slot))
      return err_set_at(&call->err, ERR_BAD_REQUEST, arena_strdup(call->arena, sent->name),
                        "The parameter is given twice.");
    if (param && !check_value(call, param, sent->value)) return false;
    *slot = sent->value;
  }
  if (!call->route->paged) return true;
  return page_read(call, paging[0], paging[1], paging[2], call->route->oldest_first, &call->err);
}
