// SPDX-License-Identifier: Apache-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

// cmocka.h wants what stands above.
// clang-format off
#include <cmocka.h>
// clang-format on

#include "api/metrics.h"
#include "base/mem.h"

static void every_sample_follows_its_help_and_type(void **state) {
  (void)state;
  struct metrics metrics = {.version = "1.2.3", .schema_version = 4};
  AUTO(buf_done) struct buf out;
  buf_init(&out, 1 << 16);
  metrics_write(&metrics, &out);
  struct str rest = buf_str(&out);
  assert_int_equal(rest.data[rest.len - 1], '\n');
  size_t samples = 0;
  for (struct str help = str_cut(&rest, '\n'); help.len > 0; help = str_cut(&rest, '\n'), samples++) {
    struct str type = str_cut(&rest, '\n'), sample = str_cut(&rest, '\n');
    assert_true(str_starts(help, STR("# HELP ")) && str_starts(type, STR("# TYPE ")));
    struct str name = str_skip(help, 7), of_type = str_skip(type, 7);
    name = str_cut(&name, ' ');
    assert_true(str_eq(str_cut(&of_type, ' '), name));
    assert_true(str_starts(sample, name));
    size_t end = name.len > 6 ? name.len - 6 : 0;
    bool total = str_eq(str_skip(name, end), STR("_total"));
    assert_true(str_eq(of_type, total ? STR("counter") : STR("gauge")));
  }
  assert_int_equal(samples, 15);
}

static void values_are_those_of_the_moment(void **state) {
  (void)state;
  struct metrics metrics = {
      .version = "1.2.3",
      .schema_version = 4,
      .http = {.requests = UINT64_MAX, .connections = 2, .exchanges = 3},
      .store = {.commits = 5, .ops = 6, .ops_failed = 7, .queue_len = 8, .database_bytes = 9, .wal_bytes = 10},
      .calls = 11,
      .executions = 12,
      .resident_bytes = 13,
      .open_fds = 14,
      .max_fds = -1,
  };
  AUTO(buf_done) struct buf out;
  buf_init(&out, 1 << 16);
  metrics_write(&metrics, &out);
  static const char *const lines[] = {
      "\nolivares_build_info{version=\"1.2.3\",schema_version=\"4\"} 1\n",
      "\nolivares_http_requests_total 18446744073709551615\n",
      "\nolivares_http_connections 2\n",
      "\nolivares_http_exchanges 3\n",
      "\nolivares_store_commits_total 5\n",
      "\nolivares_store_ops_total 6\n",
      "\nolivares_store_ops_failed_total 7\n",
      "\nolivares_store_queue 8\n",
      "\nolivares_store_database_bytes 9\n",
      "\nolivares_store_wal_bytes 10\n",
      "\nolivares_api_calls 11\n",
      "\nolivares_sandbox_executions 12\n",
      "\nprocess_resident_memory_bytes 13\n",
      "\nprocess_open_fds 14\n",
  };
  for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) assert_non_null(strstr(out.data, lines[i]));
  assert_null(strstr(out.data, "process_max_fds"));
}

static void the_system_says_how_the_process_is(void **state) {
  (void)state;
  struct metrics before = {0}, after = {0};
  metrics_process(&before);
  int fd = dup(0);
  metrics_process(&after);
  close(fd);
  assert_true(before.resident_bytes >= 64 * 1024);
  assert_int_equal(after.open_fds, before.open_fds + 1);
  assert_true(after.max_fds >= after.open_fds);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_sample_follows_its_help_and_type),
      cmocka_unit_test(values_are_those_of_the_moment),
      cmocka_unit_test(the_system_says_how_the_process_is),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
