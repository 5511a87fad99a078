// SPDX-License-Identifier: Apache-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

// cmocka.h wants what stands above.
// clang-format off
#include <cmocka.h>
// clang-format on

#include "api/shapes.h"

static bool fits(const struct schema *shape, const char *text, struct err *err) {
  json_t *json;
  assert_true(json_read(str_c(text), &json, err));
  bool ok = schema_check(shape, json, err);
  json_decref(json);
  return ok;
}

static void the_error_document_knows_every_code(void **state) {
  (void)state;
  for (unsigned code = ERR_NONE + 1; code < ERR_CODE_COUNT; code++)
    assert_string_equal(error_codes[code - 1], err_code_name((enum err_code)code));
  assert_null(error_codes[ERR_CODE_COUNT - 1]);
}

static void the_error_document_is_what_calls_answer(void **state) {
  (void)state;
  struct err err = {0};
  assert_true(fits(&shape_error, "{\"error\":{\"code\":\"internal\",\"message\":\"m\"}}", &err));
  assert_true(fits(&shape_error,
                   "{\"error\":{\"code\":\"rate_limited\",\"message\":\"m\","
                   "\"details\":{\"place\":\"name\",\"retry_after_s\":900}}}",
                   &err));
  assert_false(fits(&shape_error, "{\"error\":{\"code\":\"none\",\"message\":\"m\"}}", &err));
  assert_string_equal(err.place, "error.code");
}

static void the_empty_object_takes_no_member(void **state) {
  (void)state;
  struct err err = {0};
  assert_true(fits(&shape_empty, "{}", &err));
  assert_false(fits(&shape_empty, "{\"a\":1}", &err));
  assert_string_equal(err.place, "a");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_error_document_knows_every_code),
      cmocka_unit_test(the_error_document_is_what_calls_answer),
      cmocka_unit_test(the_empty_object_takes_no_member),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
