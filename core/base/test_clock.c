// SPDX-License-Identifier: Apache-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
// cmocka.h uses what stands above.
#include <cmocka.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"

static const int64_t NS_PER_S = 1000000000;

static void times_are_formatted_with_nine_digits(void **state) {
  (void)state;
  const struct {
    int64_t wall_ns;
    const char *text;
  } cases[] = {
      {0, "1970-01-01T00:00:00.000000000Z"},
      {1, "1970-01-01T00:00:00.000000001Z"},
      {-1, "1970-01-01T00:00:00.000000000Z"},
      {951782399999999999, "2000-02-28T23:59:59.999999999Z"},
      {951782400000000000, "2000-02-29T00:00:00.000000000Z"},
      {951868800000000000, "2000-03-01T00:00:00.000000000Z"},
      {1769903999000000001, "2026-01-31T23:59:59.000000001Z"},
      {4107542400000000000, "2100-03-01T00:00:00.000000000Z"},
      {INT64_MAX, "2262-04-11T23:47:16.854775807Z"},
  };
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
    assert_string_equal(clock_format(cases[i].wall_ns).text, cases[i].text);
}

static void every_day_agrees_with_the_c_library(void **state) {
  (void)state;
  for (int64_t day = 0; day < 106000; day++) {
    time_t seconds = (time_t)(day * 86400 + day % 86400);
    struct tm tm;
    assert_non_null(gmtime_r(&seconds, &tm));
    char expected[CLOCK_TEXT_LEN + 1];
    size_t len = strftime(expected, sizeof(expected), "%Y-%m-%dT%H:%M:%S.000000000Z", &tm);
    assert_int_equal(len, CLOCK_TEXT_LEN);
    assert_string_equal(clock_format(seconds * NS_PER_S).text, expected);
  }
}

static void the_system_clock_runs(void **state) {
  (void)state;
  struct clock clock = clock_system();
  struct timespec before, after;
  clock_gettime(CLOCK_REALTIME, &before);
  int64_t wall_ns = clock_wall_ns(&clock);
  clock_gettime(CLOCK_REALTIME, &after);
  assert_in_range(wall_ns, before.tv_sec * NS_PER_S + before.tv_nsec, after.tv_sec * NS_PER_S + after.tv_nsec);
  int64_t first_ns = clock_mono_ns(&clock);
  assert_true(clock_mono_ns(&clock) >= first_ns);
}

static int64_t stopped(void *ctx) {
  return *(int64_t *)ctx;
}

static void a_clock_can_be_replaced(void **state) {
  (void)state;
  int64_t now_ns = 42;
  struct clock clock = {.wall_ns = stopped, .mono_ns = stopped, .ctx = &now_ns};
  assert_int_equal(clock_wall_ns(&clock), 42);
  now_ns = 43;
  assert_int_equal(clock_mono_ns(&clock), 43);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(times_are_formatted_with_nine_digits),
      cmocka_unit_test(every_day_agrees_with_the_c_library),
      cmocka_unit_test(the_system_clock_runs),
      cmocka_unit_test(a_clock_can_be_replaced),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
