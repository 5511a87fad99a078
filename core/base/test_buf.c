// SPDX-License-Identifier: Apache-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
// cmocka.h uses what stands above.
#include <cmocka.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/mem.h"

static void an_unused_buffer_is_the_empty_text(void **state) {
  (void)state;
  AUTO(buf_done) struct buf buf;
  buf_init(&buf, 10);
  assert_true(str_present(buf_str(&buf)));
  assert_int_equal(buf_str(&buf).len, 0);
  assert_false(buf.over);
  struct buf zeroed = {0};
  buf_done(&zeroed);
  assert_null(zeroed.data);
}

static void additions_line_up_and_end_with_nul(void **state) {
  (void)state;
  AUTO(buf_done) struct buf buf;
  buf_init(&buf, 1000);
  assert_true(buf_add(&buf, "ab\0", 3));
  assert_true(buf_add_str(&buf, STR("cd")));
  assert_true(buf_add_str(&buf, STR_NONE));
  assert_true(buf_add_c(&buf, "ef"));
  assert_true(buf_add_char(&buf, 'g'));
  assert_true(buf_addf(&buf, "-%03d", 7));
  assert_int_equal(buf.len, 12);
  assert_memory_equal(buf.data, "ab\0cdefg-007", 13);
}

static void exactly_the_cap_fits_and_one_more_does_not(void **state) {
  (void)state;
  AUTO(buf_done) struct buf buf;
  buf_init(&buf, 8);
  assert_true(buf_add_c(&buf, "12345678"));
  assert_false(buf.over);
  assert_false(buf_add_char(&buf, '9'));
  assert_true(buf.over);
  assert_string_equal(buf.data, "12345678");
}

static void what_does_not_fit_leaves_no_part_behind_and_nothing_follows(void **state) {
  (void)state;
  AUTO(buf_done) struct buf buf;
  buf_init(&buf, 8);
  assert_true(buf_add_c(&buf, "1234"));
  assert_false(buf_add_c(&buf, "56789"));
  assert_false(buf_add_char(&buf, '5'));
  assert_false(buf_addf(&buf, "%d", 5));
  assert_null(buf_reserve(&buf, 1));
  assert_null(buf_extend(&buf, 1));
  assert_string_equal(buf.data, "1234");
  buf_clear(&buf);
  assert_false(buf.over);
  assert_true(buf_add_c(&buf, "12345678"));
  assert_string_equal(buf.data, "12345678");
}

static void formatted_text_over_the_cap_is_taken_back(void **state) {
  (void)state;
  AUTO(buf_done) struct buf buf;
  buf_init(&buf, 10);
  assert_true(buf_addf(&buf, "%s", "abc"));
  assert_false(buf_addf(&buf, "%08d", 1));
  assert_true(buf.over);
  assert_int_equal(buf.len, 3);
  assert_string_equal(buf.data, "abc");
}

static void formatted_text_grows_the_buffer(void **state) {
  (void)state;
  AUTO(buf_done) struct buf buf;
  buf_init(&buf, 10000);
  for (int width = 1; width < 130; width++) assert_true(buf_addf(&buf, "%*d", width, 1));
  assert_int_equal(buf.len, 129 * 130 / 2);
  assert_int_equal(strlen(buf.data), buf.len);
}

static void absurd_lengths_are_over_the_cap(void **state) {
  (void)state;
  AUTO(buf_done) struct buf buf;
  buf_init(&buf, SIZE_MAX);
  assert_true(buf_add_c(&buf, "x"));
  assert_null(buf_reserve(&buf, SIZE_MAX));
  assert_true(buf.over);
  assert_string_equal(buf.data, "x");
}

static void growing_keeps_the_content(void **state) {
  (void)state;
  AUTO(buf_done) struct buf buf;
  buf_init(&buf, 100000);
  for (size_t i = 0; i < 100000; i++) assert_true(buf_add_char(&buf, (char)('a' + i % 26)));
  for (size_t i = 0; i < 100000; i++) assert_int_equal(buf.data[i], 'a' + i % 26);
  assert_int_equal(buf.data[100000], '\0');
  assert_in_range(buf.allocated, 100001, 100001);
}

static void reserved_room_may_be_left_unused(void **state) {
  (void)state;
  AUTO(buf_done) struct buf buf;
  buf_init(&buf, 1000);
  buf_add_c(&buf, "long text that stood here before");
  buf_clear(&buf);
  char *room = buf_reserve(&buf, 100);
  assert_non_null(room);
  memcpy(room, "ab", 2);
  buf.len += 2;
  assert_string_equal(buf.data, "ab");
}

static void extending_gives_the_bytes_at_once(void **state) {
  (void)state;
  AUTO(buf_done) struct buf buf;
  buf_init(&buf, 1000);
  buf_add_c(&buf, "ab");
  char *room = buf_extend(&buf, 3);
  assert_non_null(room);
  memcpy(room, "cde", 3);
  assert_int_equal(buf.len, 5);
  assert_string_equal(buf.data, "abcde");
}

static void taken_bytes_leave_a_usable_buffer(void **state) {
  (void)state;
  AUTO(buf_done) struct buf buf;
  buf_init(&buf, 10);
  size_t len = 99;
  AUTO(mem_auto_free) char *nothing = buf_take(&buf, &len);
  assert_string_equal(nothing, "");
  assert_int_equal(len, 0);
  buf_add_c(&buf, "abc");
  AUTO(mem_auto_free) char *text = buf_take(&buf, &len);
  assert_string_equal(text, "abc");
  assert_int_equal(len, 3);
  assert_int_equal(buf.len, 0);
  assert_true(buf_add_c(&buf, "0123456789"));
  assert_false(buf_add_c(&buf, "x"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_unused_buffer_is_the_empty_text),
      cmocka_unit_test(additions_line_up_and_end_with_nul),
      cmocka_unit_test(exactly_the_cap_fits_and_one_more_does_not),
      cmocka_unit_test(what_does_not_fit_leaves_no_part_behind_and_nothing_follows),
      cmocka_unit_test(formatted_text_over_the_cap_is_taken_back),
      cmocka_unit_test(formatted_text_grows_the_buffer),
      cmocka_unit_test(absurd_lengths_are_over_the_cap),
      cmocka_unit_test(growing_keeps_the_content),
      cmocka_unit_test(reserved_room_may_be_left_unused),
      cmocka_unit_test(extending_gives_the_bytes_at_once),
      cmocka_unit_test(taken_bytes_leave_a_usable_buffer),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
