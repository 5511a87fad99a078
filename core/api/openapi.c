// SPDX-License-Identifier: Apache-2.0
// The OpenAPI document, written from the same rows that dispatch works by: nothing in it is said twice, so nothing can
// be out of date. What operations share is in openapi_components.c.
#include "api/openapi.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "api/openapi_components.h"
#include "api/route.h"
#include "api/shapes.h"

static const char description[] =
    "Lists are pages: `items`, `has_more`, and a `cursor` for the next page when there is more. Unknown members and "
    "parameters are refused. Times are RFC 3339 in UTC with nine fractional digits; ids are UUIDv7 in lower case, and "
    "an id of another tenant is answered like one that does not exist. Text over its limit is cut and the answer lists "
    "it in `clamped`, unless `strict=true`. A path that no operation has answers 404 `not_found`. What is refused "
    "before an operation is looked for, since the request can't be told from its bytes, is 400, 413, 414, 431 or 505, "
    "and the connection ends; not all of those answers are JSON.";

// ---- what a row says in words ----

static const char *method_key(enum http_method method) {
  switch (method) {
  case HTTP_GET: return "get";
  case HTTP_POST: return "post";
  case HTTP_PUT: return "put";
  case HTTP_DELETE: return "delete";
  case HTTP_OTHER: break;
  }
  assert(false && "a route has one of the four methods");
  return "";
}

static const char *need_sentence(enum route_need need) {
  switch (need) {
  case NEED_NOTHING: return "Open to everybody.";
  case NEED_PRINCIPAL: return "Needs a token.";
  case NEED_SUPERADMIN: return "Needs a superadmin.";
  case NEED_VIEWER: return "Needs the role viewer.";
  case NEED_EDITOR: return "Needs the role editor.";
  case NEED_ADMIN: return "Needs the role admin.";
  case NEED_OWNER: return "Needs the role owner.";
  }
  return "";
}

static const char *status_sentence(unsigned status) {
  switch (status) {
  case 200: return "Done.";
  case 201: return "Made.";
  case 202: return "Recorded; it goes on.";
  case 503: return "Not now; the document says why.";
  default: assert(false && "a route's success has one of these statuses"); return "";
  }
}

static struct str tag_of(const struct route *route) {
  struct str rest = str_c(route->operation);
  return str_cut(&rest, '.');
}

// ---- operations ----

static void write_path_parameters(struct openapi *doc, const char *path) {
  struct json_writer *out = &doc->out;
  struct str rest = str_c(path);
  while (str_present(rest)) {
    struct str segment = str_cut(&rest, '/');
    if (!str_starts(segment, STR("{"))) continue;
    jw_object(out, NULL);
    jw_str(out, "name", (struct str){segment.data + 1, segment.len - 2});
    jw_c(out, "in", "path");
    jw_bool(out, "required", true);
    openapi_schema(doc, "schema", &shape_id);
    jw_object_end(out);
  }
}

static void write_query_parameters(struct openapi *doc, const struct route_param *params) {
  struct json_writer *out = &doc->out;
  for (; params && params->name; params++) {
    jw_object(out, NULL);
    jw_c(out, "name", params->name);
    jw_c(out, "in", "query");
    if (params->doc) jw_c(out, "description", params->doc);
    openapi_schema(doc, "schema", params->shape);
    jw_object_end(out);
  }
}

static bool is_stream(const struct route *route) {
  return route->content_type && strcmp(route->content_type, "text/event-stream") == 0;
}

static void write_parameters(struct openapi *doc, const struct route *route) {
  jw_array(&doc->out, "parameters");
  write_path_parameters(doc, route->path);
  if (route->need >= NEED_VIEWER || route->tenant_optional) openapi_parameter(doc, "tenant");
  if (is_stream(route)) openapi_parameter(doc, "last_event_id");
  write_query_parameters(doc, route->params);
  if (route->paged) {
    openapi_parameter(doc, "limit");
    openapi_parameter(doc, "cursor");
    openapi_parameter(doc, route->oldest_first ? "oldest_first" : "newest_first");
  }
  jw_array_end(&doc->out);
}

static void write_body(struct openapi *doc, const struct route *route) {
  if (!route->body) return;
  struct json_writer *out = &doc->out;
  jw_object(out, "requestBody");
  jw_bool(out, "required", !route->body_optional);
  jw_object(out, "content");
  jw_object(out, "application/json");
  openapi_schema(doc, "schema", route->body);
  jw_object_end(out);
  jw_object_end(out);
  jw_object_end(out);
}

static void write_page_schema(struct openapi *doc, const struct schema *item) {
  const struct schema items = {.kind = SCHEMA_ARRAY, .items = item};
  const struct schema_member members[] = {
      {"items", &items, true, NULL},
      {"cursor", &shape_text, false, "With has_more: where the next page begins."},
      {"has_more", &shape_bool, true, NULL},
      {0},
  };
  const struct schema page = {.kind = SCHEMA_OBJECT, .members = members};
  openapi_schema(doc, "schema", &page);
}

static void write_success(struct openapi *doc, const struct route *route, unsigned status) {
  struct json_writer *out = &doc->out;
  char key[16];
  snprintf(key, sizeof key, "%u", status);
  jw_key(out, str_c(key));
  jw_object(out, NULL);
  jw_c(out, "description", status_sentence(status));
  jw_object(out, "content");
  jw_object(out, route->content_type ? route->content_type : "application/json");
  if (route->content_type)
    openapi_schema(doc, "schema", &shape_text);
  else if (route->paged)
    write_page_schema(doc, route->reply);
  else
    openapi_schema(doc, "schema", route->reply);
  jw_object_end(out);
  jw_object_end(out);
  jw_object_end(out);
}

static void write_errors(struct openapi *doc, const struct route *route) {
  static const unsigned statuses[] = {400, 401, 403, 404, 405, 409, 413, 422, 429, 500, 503};
  unsigned errors = route_errors(route);
  for (size_t i = 0; i < sizeof statuses / sizeof *statuses; i++) {
    if (statuses[i] == 405) openapi_method_not_allowed(doc);
    unsigned set = 0;
    for (unsigned code = ERR_NONE + 1; code < ERR_CODE_COUNT; code++)
      if (route_error_status((enum err_code)code) == statuses[i]) set |= errors & ROUTE_ERR(code);
    if (set) openapi_error_response(doc, statuses[i], set);
  }
}

static void write_description(struct json_writer *out, const struct route *route) {
  char text[160];
  snprintf(text, sizeof text, "%s%s%s%s", need_sentence(route->need), route->module ? " Part of the module " : "",
           route->module ? route->module : "", route->module ? "." : "");
  jw_c(out, "description", text);
}

static void write_operation(struct openapi *doc, const struct route *route) {
  struct json_writer *out = &doc->out;
  jw_object(out, method_key(route->method));
  jw_c(out, "operationId", route->operation);
  jw_c(out, "summary", route->summary);
  write_description(out, route);
  jw_array(out, "tags");
  jw_str(out, NULL, tag_of(route));
  jw_array_end(out);
  jw_array(out, "security");
  if (route->need != NEED_NOTHING) {
    jw_object(out, NULL);
    jw_array(out, "bearer");
    jw_array_end(out);
    jw_object_end(out);
  }
  jw_array_end(out);
  write_parameters(doc, route);
  write_body(doc, route);
  jw_object(out, "responses");
  write_success(doc, route, route->status);
  if (route->status_also) write_success(doc, route, route->status_also);
  write_errors(doc, route);
  jw_object_end(out);
  jw_object_end(out);
}

// ---- the document ----

/// Calls `visit` for every route in the order of the tables.
static void each_route(void (*visit)(struct openapi *doc, const struct route *route), struct openapi *doc) {
  for (const struct route *const *table = route_tables; *table; table++)
    for (const struct route *route = *table; route->path; route++) visit(doc, route);
}

/// The first route of all that has this one's path, or this one's tag.
static const struct route *first_with(const struct route *like,
                                      bool (*alike)(const struct route *, const struct route *)) {
  for (const struct route *const *table = route_tables; *table; table++)
    for (const struct route *route = *table; route->path; route++)
      if (alike(route, like)) return route;
  return like;
}

static bool same_path(const struct route *a, const struct route *b) {
  return strcmp(a->path, b->path) == 0;
}

static bool same_tag(const struct route *a, const struct route *b) {
  return str_eq(tag_of(a), tag_of(b));
}

static void write_tag(struct openapi *doc, const struct route *route) {
  if (first_with(route, same_tag) != route) return;
  jw_object(&doc->out, NULL);
  jw_str(&doc->out, "name", tag_of(route));
  jw_object_end(&doc->out);
}

static void write_path(struct openapi *doc, const struct route *route) {
  if (first_with(route, same_path) != route) return;
  jw_object(&doc->out, route->path);
  for (const struct route *const *table = route_tables; *table; table++)
    for (const struct route *other = *table; other->path; other++)
      if (same_path(other, route)) write_operation(doc, other);
  jw_object_end(&doc->out);
}

static void write_info(struct json_writer *out, const char *version) {
  jw_object(out, "info");
  jw_c(out, "title", "Olivares Sandbox");
  jw_c(out, "version", version);
  jw_c(out, "summary", "An agent simulation and testing sandbox.");
  jw_c(out, "description", description);
  jw_object(out, "license");
  jw_c(out, "name", "Apache License 2.0");
  jw_c(out, "identifier", "Apache-2.0");
  jw_object_end(out);
  jw_object_end(out);
}

bool openapi_write(const char *version, struct buf *out) {
  struct openapi doc = {.schema_count = 0};
  jw_init(&doc.out, out);
  jw_object(&doc.out, NULL);
  jw_c(&doc.out, "openapi", "3.1.0");
  write_info(&doc.out, version);
  jw_array(&doc.out, "tags");
  each_route(write_tag, &doc);
  jw_array_end(&doc.out);
  jw_object(&doc.out, "paths");
  each_route(write_path, &doc);
  jw_object_end(&doc.out);
  openapi_components(&doc);
  jw_object_end(&doc.out);
  return !out->over;
}
