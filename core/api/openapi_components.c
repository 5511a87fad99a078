// SPDX-License-Identifier: Apache-2.0
// The parts of the OpenAPI document that its operations refer to. A set of errors with one status is one response
// component, so that the document says exactly what can go wrong where without saying it a hundred times.
#include "api/openapi_components.h"

#include <assert.h>
#include <stdio.h>

#include "api/page.h"
#include "api/route.h"
#include "api/shapes.h"
#include "base/mem.h"

#define METHOD_NOT_ALLOWED "MethodNotAllowed"

enum { SCHEMA_JSON_MAX_BYTES = 1024 * 1024, NAME_TEXT_MAX_BYTES = 512 };

// ---- schemas ----

static void note_schema(const struct schema *named, void *ctx) {
  struct openapi *doc = ctx;
  for (size_t i = 0; i < doc->schema_count; i++) {
    if (doc->schemas[i] == named) return;
    assert(strcmp(doc->schemas[i]->name, named->name) != 0); // one name, one shape
  }
  assert(doc->schema_count < OPENAPI_SCHEMAS_MAX);
  doc->schemas[doc->schema_count++] = named;
}

static void write_ref(struct json_writer *out, const char *kind, const char *name) {
  char ref[NAME_TEXT_MAX_BYTES + 32]; // and the way to it
  snprintf(ref, sizeof ref, "#/components/%s/%s", kind, name);
  jw_c(out, "$ref", ref);
}

static void write_whole(struct openapi *doc, const char *key, const struct schema *shape) {
  AUTO(buf_done) struct buf json;
  buf_init(&json, SCHEMA_JSON_MAX_BYTES);
  schema_write(shape, &json);
  assert(!json.over);
  jw_raw(&doc->out, key, buf_str(&json));
}

void openapi_schema(struct openapi *doc, const char *key, const struct schema *shape) {
  schema_walk(shape, note_schema, doc);
  if (!shape->name) {
    write_whole(doc, key, shape);
    return;
  }
  jw_object(&doc->out, key);
  write_ref(&doc->out, "schemas", shape->name);
  jw_object_end(&doc->out);
}

static void write_schemas(struct openapi *doc) {
  schema_walk(&shape_error, note_schema, doc); // what a path without a route answers
  jw_object(&doc->out, "schemas");
  for (size_t i = 0; i < doc->schema_count; i++) write_whole(doc, doc->schemas[i]->name, doc->schemas[i]);
  jw_object_end(&doc->out);
}

// ---- errors ----

/// The codes of a set with something between them.
static void join_codes(unsigned set, const char *between, char ret_text[NAME_TEXT_MAX_BYTES]) {
  size_t len = 0;
  ret_text[0] = '\0';
  for (unsigned code = ERR_NONE + 1; code < ERR_CODE_COUNT; code++) {
    if (!(set & ROUTE_ERR(code))) continue;
    len += (size_t)snprintf(ret_text + len, NAME_TEXT_MAX_BYTES - len, "%s%s", len ? between : "",
                            err_code_name((enum err_code)code));
    assert(len < NAME_TEXT_MAX_BYTES);
  }
}

void openapi_error_response(struct openapi *doc, unsigned status, unsigned set) {
  size_t i = 0;
  while (i < doc->error_set_count && doc->error_sets[i] != set) i++;
  if (i == doc->error_set_count) {
    assert(i < OPENAPI_ERROR_SETS_MAX);
    doc->error_sets[doc->error_set_count++] = set;
  }
  char name[NAME_TEXT_MAX_BYTES], key[16];
  join_codes(set, ".", name);
  snprintf(key, sizeof key, "%u", status);
  jw_key(&doc->out, str_c(key));
  jw_object(&doc->out, NULL);
  write_ref(&doc->out, "responses", name);
  jw_object_end(&doc->out);
}

static void write_retry_after(struct json_writer *out) {
  jw_object(out, "headers");
  jw_object(out, "Retry-After");
  jw_c(out, "description", "Seconds until another try makes sense.");
  jw_object(out, "schema");
  jw_c(out, "type", "integer");
  jw_object_end(out);
  jw_object_end(out);
  jw_object_end(out);
}

/// The error document with no other codes than those of the set.
static void write_error_schema(struct openapi *doc, unsigned set) {
  const char *codes[ERR_CODE_COUNT + 1];
  size_t count = 0;
  for (unsigned code = ERR_NONE + 1; code < ERR_CODE_COUNT; code++)
    if (set & ROUTE_ERR(code)) codes[count++] = err_code_name((enum err_code)code);
  codes[count] = NULL;
  const struct schema code = {.kind = SCHEMA_STRING, .values = codes};
  const struct schema_member members[] = {{"code", &code, true, NULL},
                                          {"message", &shape_text, true, NULL},
                                          {"details", &shape_error_details, false, NULL},
                                          {0}};
  const struct schema body = {.kind = SCHEMA_OBJECT, .members = members};
  const struct schema_member outer[] = {{"error", &body, true, NULL}, {0}};
  const struct schema document = {.kind = SCHEMA_OBJECT, .members = outer};
  openapi_schema(doc, "schema", &document);
}

void openapi_method_not_allowed(struct openapi *doc) {
  jw_object(&doc->out, "405");
  write_ref(&doc->out, "responses", METHOD_NOT_ALLOWED);
  jw_object_end(&doc->out);
}

/// Answered for the methods that a path does not have; so it is every operation's, and none's.
static void write_method_not_allowed(struct openapi *doc) {
  struct json_writer *out = &doc->out;
  jw_object(out, METHOD_NOT_ALLOWED);
  jw_c(out, "description", "To any other method: the path does not have it.");
  jw_object(out, "headers");
  jw_object(out, "Allow");
  jw_c(out, "description", "The methods that the path has.");
  openapi_schema(doc, "schema", &shape_text);
  jw_object_end(out);
  jw_object_end(out);
  jw_object(out, "content");
  jw_object(out, "application/json");
  write_error_schema(doc, ROUTE_ERR(ERR_BAD_REQUEST));
  jw_object_end(out);
  jw_object_end(out);
  jw_object_end(out);
}

static void write_responses(struct openapi *doc) {
  struct json_writer *out = &doc->out;
  jw_object(out, "responses");
  write_method_not_allowed(doc);
  for (size_t i = 0; i < doc->error_set_count; i++) {
    char text[NAME_TEXT_MAX_BYTES];
    join_codes(doc->error_sets[i], ".", text);
    jw_object(out, text);
    join_codes(doc->error_sets[i], ", ", text);
    jw_c(out, "description", text);
    if (doc->error_sets[i] & ROUTE_ERR(ERR_RATE_LIMITED)) write_retry_after(out);
    jw_object(out, "content");
    jw_object(out, "application/json");
    write_error_schema(doc, doc->error_sets[i]);
    jw_object_end(out);
    jw_object_end(out);
    jw_object_end(out);
  }
  jw_object_end(out);
}

// ---- parameters ----

static const struct schema shape_limit = {.kind = SCHEMA_INTEGER, .bounded = true, .min = 1, .max = PAGE_MAX};
static const char *const orders[] = {"asc", "desc", NULL};
static const struct schema shape_order = {.kind = SCHEMA_STRING, .values = orders};

static const struct shared_parameter {
  const char *component, *in, *name, *doc;
  const struct schema *shape;
} shared_parameters[] = {
    {"tenant", "header", "X-Olivares-Tenant",
     "The tenant to work in; not needed by who can enter exactly one (an API token always).", &shape_id},
    {"limit", "query", "limit", "Most items in the page. Default: 100.", &shape_limit},
    {"cursor", "query", "cursor", "The `cursor` of the page before, with the same filters and order.", &shape_text},
    {"newest_first", "query", "order", "Default: desc, newest first.", &shape_order},
    {"oldest_first", "query", "order", "Default: asc, oldest first.", &shape_order},
    {"last_event_id", "header", "Last-Event-ID", "Goes on behind the event with this id.", &shape_count},
};

void openapi_parameter(struct openapi *doc, const char *name) {
  jw_object(&doc->out, NULL);
  write_ref(&doc->out, "parameters", name);
  jw_object_end(&doc->out);
}

static void write_parameters(struct openapi *doc) {
  struct json_writer *out = &doc->out;
  jw_object(out, "parameters");
  for (size_t i = 0; i < sizeof shared_parameters / sizeof *shared_parameters; i++) {
    const struct shared_parameter *parameter = &shared_parameters[i];
    jw_object(out, parameter->component);
    jw_c(out, "name", parameter->name);
    jw_c(out, "in", parameter->in);
    jw_c(out, "description", parameter->doc);
    openapi_schema(doc, "schema", parameter->shape);
    jw_object_end(out);
  }
  jw_object_end(out);
}

static void write_security_schemes(struct json_writer *out) {
  jw_object(out, "securitySchemes");
  jw_object(out, "bearer");
  jw_c(out, "type", "http");
  jw_c(out, "scheme", "bearer");
  jw_c(out, "description", "An API token (olv_…) or the token of a login session (ols_…).");
  jw_object_end(out);
  jw_object_end(out);
}

void openapi_components(struct openapi *doc) {
  jw_object(&doc->out, "components");
  write_security_schemes(&doc->out);
  write_parameters(doc);
  write_responses(doc);
  write_schemas(doc);
  jw_object_end(&doc->out);
}
