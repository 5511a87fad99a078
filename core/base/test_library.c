// SPDX-License-Identifier: Apache-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
// behind what it needs
#include <cmocka.h>

#include "base/library.h"

struct table {
  double (*unused)(double);
  double (*square_root)(double);
};

static const struct library_symbol symbols[] = {{"sqrt", offsetof(struct table, square_root)}, {"no_such_function", 0}};

static void the_named_functions_land_in_the_table(void **state) {
  (void)state;
  struct table table = {0};
  struct err err = {0};
  assert_true(library_load("libm.so.6", symbols, 1, &table, &err));
  assert_null((void *)(uintptr_t)table.unused);
  assert_true(table.square_root(9.0) == 3.0);
}

static void a_library_that_is_not_there_is_unavailable(void **state) {
  (void)state;
  struct table table = {0};
  struct err err = {0};
  assert_false(library_load("libnothing.so.99", symbols, 1, &table, &err));
  assert_int_equal(err.code, ERR_UNAVAILABLE);
  assert_non_null(strstr(err.msg, "The library libnothing.so.99 can't be loaded"));
}

static void a_missing_symbol_is_named(void **state) {
  (void)state;
  struct table table = {0};
  struct err err = {0};
  assert_false(library_load("libm.so.6", symbols, 2, &table, &err));
  assert_int_equal(err.code, ERR_UNAVAILABLE);
  assert_string_equal(err.msg, "The library libm.so.6 is not the one expected: it has no no_such_function.");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_named_functions_land_in_the_table),
      cmocka_unit_test(a_library_that_is_not_there_is_unavailable),
      cmocka_unit_test(a_missing_symbol_is_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
