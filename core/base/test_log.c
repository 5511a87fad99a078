// SPDX-License-Identifier: Apache-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
// cmocka.h uses what stands above.
#include <cmocka.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/utf8.h"

// Standard error goes through a pipe while a line is logged; a line fits the pipe.
struct capture {
  int ends[2];
  int stderr_before;
};

static void capture_start(struct capture *capture) {
  assert_int_equal(pipe(capture->ends), 0);
  capture->stderr_before = dup(STDERR_FILENO);
  assert_true(capture->stderr_before >= 0);
  assert_int_equal(dup2(capture->ends[1], STDERR_FILENO), STDERR_FILENO);
}

static void capture_end(struct capture *capture, char line[8192]) {
  assert_int_equal(dup2(capture->stderr_before, STDERR_FILENO), STDERR_FILENO);
  close(capture->stderr_before);
  close(capture->ends[1]);
  ssize_t len = read(capture->ends[0], line, 8191);
  assert_true(len >= 0);
  line[len] = '\0';
  close(capture->ends[0]);
}

enum { TIME_LEN = 30 };

static void a_line_has_time_level_event_and_fields(void **state) {
  (void)state;
  char line[8192];
  struct capture capture;
  capture_start(&capture);
  errno = ENOENT;
  log_event(LOG_LEVEL_WARN, "serve.listen", "addr=%s port=%d", "127.0.0.1", 8440);
  int errno_after = errno;
  capture_end(&capture, line);
  assert_int_equal(errno_after, ENOENT);
  assert_int_equal(line[TIME_LEN - 1], 'Z');
  assert_string_equal(line + TIME_LEN, " warn event=serve.listen addr=127.0.0.1 port=8440\n");
}

static void an_event_may_have_no_fields(void **state) {
  (void)state;
  char line[8192];
  struct capture capture;
  capture_start(&capture);
  log_event(LOG_LEVEL_INFO, "serve.stop", "%s", "");
  log_event(LOG_LEVEL_ERROR, "serve.lost", "x=1");
  capture_end(&capture, line);
  const char *second = strchr(line, '\n');
  assert_non_null(second);
  assert_memory_equal(line + TIME_LEN, " info event=serve.stop", 22);
  assert_string_equal(second + 1 + TIME_LEN, " error event=serve.lost x=1\n");
}

static void bytes_that_are_more_than_text_are_neutralised(void **state) {
  (void)state;
  char line[8192];
  struct capture capture;
  capture_start(&capture);
  log_event(LOG_LEVEL_INFO, "x", "name=%s", "a\nb\x1b[31m\x7f\xff é \xc2\x9b");
  capture_end(&capture, line);
  assert_string_equal(line + TIME_LEN, " info event=x name=a?b?[31m?? é ??\n");
}

static void a_line_that_is_too_long_is_cut_visibly(void **state) {
  (void)state;
  for (int shift = 0; shift < 3; shift++) {
    char text[9000] = "aa";
    for (size_t at = (size_t)shift; at + 3 < sizeof(text); at += 3) memcpy(text + at, "€", 4);
    char line[8192];
    struct capture capture;
    capture_start(&capture);
    log_event(LOG_LEVEL_INFO, "x", "%s", text);
    capture_end(&capture, line);
    size_t len = strlen(line);
    assert_in_range(len, 4096 - 2, 4096);
    assert_string_equal(line + len - 7, "€…\n");
    assert_true(utf8_valid(str_c(line), NULL));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_line_has_time_level_event_and_fields),
      cmocka_unit_test(an_event_may_have_no_fields),
      cmocka_unit_test(bytes_that_are_more_than_text_are_neutralised),
      cmocka_unit_test(a_line_that_is_too_long_is_cut_visibly),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
