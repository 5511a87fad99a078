// SPDX-License-Identifier: Apache-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
// cmocka.h uses what stands above.
#include <cmocka.h>
#include <string.h>

#include "runners/absent/absent.h"

static void preflight_names_what_is_missing(void **state) {
  (void)state;
  struct runner *runner = absent_new("lua-guest", "process", "lua guests");
  assert_string_equal(runner->name, "lua-guest");
  const struct runner_report *report = runner->preflight(runner);
  assert_false(report->available);
  assert_string_equal(report->missing, "lua guests");
  assert_string_equal(report->reason, "The runner \"lua-guest\" is not part of this engine: it needs lua guests.");
  assert_string_equal(report->strength, "process");
  assert_null(report->attests[0]);
  assert_int_equal(report->stage_count, 1);
  assert_false(report->stages[0].ok);
  absent_free(runner);
}

static void prepare_fails_and_makes_nothing(void **state) {
  (void)state;
  struct runner *runner = absent_new("gvisor", "user-space kernel", "the gVisor runner");
  struct runner_events events = {0};
  struct runner_execution *execution = NULL;
  struct err err = {0};
  assert_false(runner->prepare(runner, (struct id){{0}}, &events, NULL, &execution, &err));
  assert_null(execution);
  assert_int_equal(err.code, ERR_ISOLATION_UNAVAILABLE);
  assert_non_null(strstr(err.msg, "the gVisor runner"));

  bool gone = false;
  runner->destroy(execution, &gone);
  assert_true(gone);
  absent_free(runner);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(preflight_names_what_is_missing),
      cmocka_unit_test(prepare_fails_and_makes_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
