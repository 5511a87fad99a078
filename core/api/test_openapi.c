// SPDX-License-Identifier: Apache-2.0
// That the document says what the route tables say. Whether it is a valid OpenAPI document is spec/openapi_spec.lua's.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

// cmocka.h wants what stands above.
// clang-format off
#include <cmocka.h>
// clang-format on

#include "api/openapi.h"
#include "api/route.h"
#include "base/json.h"

enum { DOCUMENT_MAX_BYTES = 4 * 1024 * 1024 };

static int setup(void **state) {
  struct buf out;
  struct err err = {0};
  json_t *document;
  buf_init(&out, DOCUMENT_MAX_BYTES);
  if (!openapi_write("9.8.7", &out) || !json_read(buf_str(&out), &document, &err)) return -1;
  buf_done(&out);
  *state = document;
  return 0;
}

static int teardown(void **state) {
  json_decref(*state);
  return 0;
}

static json_t *at(const json_t *json, const char *key) {
  json_t *value = json_object_get(json, key);
  if (!value) print_error("no member %s\n", key);
  assert_non_null(value);
  return value;
}

static const json_t *operation_of(const json_t *document, const struct route *route) {
  static const char *const keys[] = {"get", "post", "put", "delete"};
  return at(at(at(document, "paths"), route->path), keys[route->method]);
}

static void each_route(const json_t *document, void (*check)(const json_t *document, const struct route *route)) {
  for (const struct route *const *table = route_tables; *table; table++)
    for (const struct route *route = *table; route->path; route++) check(document, route);
}

static void the_same_tables_give_the_same_bytes(void **state) {
  (void)state;
  struct buf one, two;
  buf_init(&one, DOCUMENT_MAX_BYTES);
  buf_init(&two, DOCUMENT_MAX_BYTES);
  assert_true(openapi_write("9.8.7", &one) && openapi_write("9.8.7", &two));
  assert_int_equal(one.len, two.len);
  assert_memory_equal(one.data, two.data, one.len);
  buf_done(&one);
  buf_done(&two);
}

static void a_document_that_does_not_fit_is_reported(void **state) {
  (void)state;
  struct buf out;
  buf_init(&out, 1000);
  assert_false(openapi_write("9.8.7", &out));
  buf_done(&out);
}

static void the_document_names_the_version(void **state) {
  assert_string_equal(json_string_value(at(at(*state, "info"), "version")), "9.8.7");
  assert_string_equal(json_string_value(at(*state, "openapi")), "3.1.0");
}

static void check_identity(const json_t *document, const struct route *route) {
  const json_t *operation = operation_of(document, route);
  assert_string_equal(json_string_value(at(operation, "operationId")), route->operation);
  assert_string_equal(json_string_value(at(operation, "summary")), route->summary);
  assert_int_equal(json_array_size(at(operation, "security")), route->need == NEED_NOTHING ? 0 : 1);
  assert_int_equal(json_object_get(operation, "requestBody") != NULL, route->body != NULL);
}

static void every_route_is_an_operation(void **state) {
  each_route(*state, check_identity);
}

static bool has_parameter(const json_t *document, const json_t *operation, const char *in, const char *name) {
  size_t i;
  json_t *parameter;
  json_array_foreach(at(operation, "parameters"), i, parameter) {
    const char *ref = json_string_value(json_object_get(parameter, "$ref"));
    if (ref) parameter = at(at(at(document, "components"), "parameters"), strrchr(ref, '/') + 1);
    if (strcmp(json_string_value(at(parameter, "in")), in) == 0 &&
        strcmp(json_string_value(at(parameter, "name")), name) == 0)
      return true;
  }
  return false;
}

static void check_parameters(const json_t *document, const struct route *route) {
  const json_t *operation = operation_of(document, route);
  size_t count = 0;
  for (const struct route_param *p = route->params; p && p->name; p++, count++)
    assert_true(has_parameter(document, operation, "query", p->name));
  bool tenant = route->need >= NEED_VIEWER || route->tenant_optional;
  bool stream = route->content_type && strcmp(route->content_type, "text/event-stream") == 0;
  bool id = strchr(route->path, '{') != NULL;
  assert_int_equal(has_parameter(document, operation, "header", "X-Olivares-Tenant"), tenant);
  assert_int_equal(has_parameter(document, operation, "header", "Last-Event-ID"), stream);
  assert_int_equal(has_parameter(document, operation, "path", "id"), id);
  assert_int_equal(has_parameter(document, operation, "query", "limit"), route->paged);
  assert_int_equal(has_parameter(document, operation, "query", "cursor"), route->paged);
  assert_int_equal(has_parameter(document, operation, "query", "order"), route->paged);
  count += (size_t)tenant + (size_t)stream + (size_t)id + (route->paged ? 3 : 0);
  assert_int_equal(json_array_size(at(operation, "parameters")), count);
}

static void every_parameter_is_described_and_no_other(void **state) {
  each_route(*state, check_parameters);
}

/// The ROUTE_ERR bits of the codes that an error response allows.
static unsigned codes_of(const json_t *document, const json_t *response) {
  const char *ref = json_string_value(at(response, "$ref"));
  const json_t *content = at(at(at(at(document, "components"), "responses"), strrchr(ref, '/') + 1), "content");
  const json_t *error = at(at(at(at(content, "application/json"), "schema"), "properties"), "error");
  unsigned set = 0;
  size_t i;
  const json_t *name;
  json_array_foreach(at(at(at(error, "properties"), "code"), "enum"), i, name) {
    for (unsigned code = ERR_NONE + 1; code < ERR_CODE_COUNT; code++)
      if (strcmp(json_string_value(name), err_code_name((enum err_code)code)) == 0) set |= ROUTE_ERR(code);
  }
  return set;
}

static void check_responses(const json_t *document, const struct route *route) {
  json_t *responses = at(operation_of(document, route), "responses");
  const char *status;
  json_t *response;
  unsigned errors = 0;
  bool has_method_not_allowed = false;
  json_object_foreach(responses, status, response) {
    if (!json_object_get(response, "$ref")) continue;
    unsigned set = codes_of(document, response);
    if (strcmp(status, "405") == 0) {
      assert_int_equal(set, ROUTE_ERR(ERR_BAD_REQUEST));
      has_method_not_allowed = true;
      continue;
    }
    char expected[16];
    for (unsigned code = ERR_NONE + 1; code < ERR_CODE_COUNT; code++) {
      if (!(set & ROUTE_ERR(code))) continue;
      snprintf(expected, sizeof expected, "%u", route_error_status((enum err_code)code));
      assert_string_equal(status, expected);
    }
    errors |= set;
  }
  assert_true(has_method_not_allowed);
  assert_int_equal(errors, route_errors(route));
  char success[16];
  snprintf(success, sizeof success, "%u", route->status);
  const json_t *content = at(at(responses, success), "content");
  at(content, route->content_type ? route->content_type : "application/json");
}

static void every_error_of_a_route_is_a_response_with_its_code(void **state) {
  each_route(*state, check_responses);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_same_tables_give_the_same_bytes),
      cmocka_unit_test(a_document_that_does_not_fit_is_reported),
      cmocka_unit_test(the_document_names_the_version),
      cmocka_unit_test(every_route_is_an_operation),
      cmocka_unit_test(every_parameter_is_described_and_no_other),
      cmocka_unit_test(every_error_of_a_route_is_a_response_with_its_code),
  };
  return cmocka_run_group_tests(tests, setup, teardown);
}
