// SPDX-License-Identifier: Apache-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
// cmocka.h uses what stands above.
#include <cmocka.h>
#include <errno.h>
#include <string.h>

#include "base/err.h"
#include "base/utf8.h"

static void first_error_wins(void **state) {
  (void)state;
  struct err err = {0};
  assert_false(err_set(&err, ERR_NOT_FOUND, "No scenario %d.", 7));
  assert_false(err_set_at(&err, ERR_INTERNAL, "elsewhere", "Later."));
  assert_false(err_set_sys(&err, ERR_UNAVAILABLE, ENOENT, "Later still"));
  assert_int_equal(err.code, ERR_NOT_FOUND);
  assert_string_equal(err.msg, "No scenario 7.");
  assert_string_equal(err.place, "");
  assert_int_equal(err.sys_errno, 0);
}

static void a_cleared_error_takes_another(void **state) {
  (void)state;
  struct err err = {0};
  err_set_at(&err, ERR_RATE_LIMITED, "header", "Too often.");
  err.retry_after_s = 30;
  err_clear(&err);
  assert_int_equal(err.code, ERR_NONE);
  assert_int_equal(err.retry_after_s, 0);
  err_set(&err, ERR_CONFLICT, "Taken.");
  assert_int_equal(err.code, ERR_CONFLICT);
  assert_string_equal(err.place, "");
}

static void place_is_kept_beside_the_message(void **state) {
  (void)state;
  struct err err = {0};
  err_set_at(&err, ERR_BAD_REQUEST, "steps[3].input", "Expected a string.");
  assert_string_equal(err.place, "steps[3].input");
  assert_string_equal(err.msg, "Expected a string.");
}

static void system_error_is_spelt_out(void **state) {
  (void)state;
  struct err err = {0};
  err_set_sys(&err, ERR_INTERNAL, ENOENT, "open %s", "/etc/nothing");
  assert_string_equal(err.msg, "open /etc/nothing: No such file or directory");
  assert_int_equal(err.sys_errno, ENOENT);
  err_clear(&err);
  err_set_sys(&err, ERR_INTERNAL, 99999, "open");
  assert_string_equal(err.msg, "open: error number 99999");
}

static void system_error_survives_a_message_that_is_too_long(void **state) {
  (void)state;
  struct err err = {0};
  err_set_sys(&err, ERR_INTERNAL, EACCES, "%0600d", 1);
  assert_int_equal(strlen(err.msg), sizeof(err.msg) - 1);
  assert_string_equal(err.msg + strlen(err.msg) - strlen("…: Permission denied"), "…: Permission denied");
}

static void wrapping_puts_a_name_in_front_and_keeps_the_code(void **state) {
  (void)state;
  struct err err = {0};
  assert_false(err_wrap(&err, "nothing to wrap"));
  assert_int_equal(err.code, ERR_NONE);
  assert_string_equal(err.msg, "");
  err_set_sys(&err, ERR_NOT_FOUND, ENOENT, "open");
  assert_false(err_wrap(&err, "load policy '%s'", "offline"));
  assert_string_equal(err.msg, "load policy 'offline': open: No such file or directory");
  assert_int_equal(err.code, ERR_NOT_FOUND);
  assert_int_equal(err.sys_errno, ENOENT);
}

static void too_long_a_message_is_cut_visibly(void **state) {
  (void)state;
  struct err err = {0};
  char full[sizeof(err.msg)];
  memset(full, 'a', sizeof(full) - 1);
  full[sizeof(full) - 1] = '\0';
  err_set(&err, ERR_INTERNAL, "%s", full);
  assert_string_equal(err.msg, full);
  err_wrap(&err, "x");
  assert_int_equal(strlen(err.msg), sizeof(err.msg) - 1);
  assert_string_equal(err.msg + sizeof(err.msg) - 1 - strlen("a…"), "a…");
}

static void cutting_keeps_characters_whole(void **state) {
  (void)state;
  for (int shift = 0; shift < 4; shift++) {
    struct err err = {0};
    char text[4 * sizeof(err.msg) + 8] = "aaa";
    size_t len = (size_t)shift;
    for (; len + 4 < sizeof(text); len += 4) memcpy(text + len, "\xf0\x9f\x98\x80", 5);
    err_set_at(&err, ERR_INTERNAL, text, "%s", text);
    assert_true(utf8_valid(str_c(err.msg), NULL));
    assert_true(utf8_valid(str_c(err.place), NULL));
    assert_in_range(strlen(err.msg), sizeof(err.msg) - 4, sizeof(err.msg) - 1);
    assert_in_range(strlen(err.place), sizeof(err.place) - 4, sizeof(err.place) - 1);
    assert_string_equal(err.msg + strlen(err.msg) - 7, "\xf0\x9f\x98\x80…");
    assert_string_equal(err.place + strlen(err.place) - 7, "\xf0\x9f\x98\x80…");
  }
}

static void bytes_that_are_no_text_are_replaced(void **state) {
  (void)state;
  struct err err = {0};
  err_set_at(&err, ERR_BAD_REQUEST, "a\xff", "Header '%s'.", "x\xc3(\xed\xa0\x80");
  assert_string_equal(err.place, "a?");
  assert_string_equal(err.msg, "Header 'x?(??"
                               "?'.");
}

static void every_code_has_its_own_name(void **state) {
  (void)state;
  for (int a = 0; a < ERR_CODE_COUNT; a++) {
    for (int b = 0; b < a; b++)
      assert_string_not_equal(err_code_name((enum err_code)a), err_code_name((enum err_code)b));
  }
  assert_string_equal(err_code_name(ERR_NONE), "none");
  assert_string_equal(err_code_name(ERR_REQUEST_BODY_TOO_LARGE), "request_body_too_large");
  assert_string_equal(err_code_name(ERR_ISOLATION_UNAVAILABLE), "isolation_unavailable");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(first_error_wins),
      cmocka_unit_test(a_cleared_error_takes_another),
      cmocka_unit_test(place_is_kept_beside_the_message),
      cmocka_unit_test(system_error_is_spelt_out),
      cmocka_unit_test(system_error_survives_a_message_that_is_too_long),
      cmocka_unit_test(wrapping_puts_a_name_in_front_and_keeps_the_code),
      cmocka_unit_test(too_long_a_message_is_cut_visibly),
      cmocka_unit_test(cutting_keeps_characters_whole),
      cmocka_unit_test(bytes_that_are_no_text_are_replaced),
      cmocka_unit_test(every_code_has_its_own_name),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
