// SPDX-License-Identifier: Apache-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
// cmocka.h uses what stands above.
#include <cmocka.h>

#include "base/str.h"

static void absent_and_empty_are_equal_but_told_apart(void **state) {
  (void)state;
  assert_true(str_eq(STR_NONE, STR("")));
  assert_false(str_present(STR_NONE));
  assert_true(str_present(STR("")));
  assert_false(str_present(str_c(NULL)));
}

static void equality_is_by_bytes_and_length(void **state) {
  (void)state;
  assert_true(str_eq(STR("a\0b"), STR("a\0b")));
  assert_false(str_eq(STR("a\0b"), STR("a\0c")));
  assert_false(str_eq(STR("ab"), STR("abc")));
}

static void order_is_by_unsigned_bytes_then_length(void **state) {
  (void)state;
  assert_true(str_cmp(STR("a"), STR("b")) < 0);
  assert_true(str_cmp(STR("\x7f"), STR("\x80")) < 0);
  assert_true(str_cmp(STR("ab"), STR("abc")) < 0);
  assert_true(str_cmp(STR("b"), STR("abc")) > 0);
  assert_int_equal(str_cmp(STR_NONE, STR("")), 0);
  assert_true(str_cmp(STR_NONE, STR("a")) < 0);
}

static void prefixes(void **state) {
  (void)state;
  assert_true(str_starts(STR("scenario"), STR("scen")));
  assert_true(str_starts(STR("scen"), STR("scen")));
  assert_true(str_starts(STR_NONE, STR("")));
  assert_false(str_starts(STR("sce"), STR("scen")));
  assert_false(str_starts(STR("xcen"), STR("scen")));
}

static void skipping_stops_at_the_end(void **state) {
  (void)state;
  assert_true(str_eq(str_skip(STR("abc"), 2), STR("c")));
  struct str end = str_skip(STR("abc"), 99);
  assert_int_equal(end.len, 0);
  assert_true(str_present(end));
  assert_false(str_present(str_skip(STR_NONE, 1)));
}

static void cutting_walks_through_the_fields(void **state) {
  (void)state;
  struct str rest = STR("a,,b,");
  const char *fields[] = {"a", "", "b", ""};
  for (size_t i = 0; i < 4; i++) {
    assert_true(str_present(rest));
    struct str field = str_cut(&rest, ',');
    assert_true(str_eq(field, str_c(fields[i])));
    assert_true(str_present(field));
  }
  assert_false(str_present(rest));
  assert_false(str_present(str_cut(&rest, ',')));
}

static void integers_are_read_whole(void **state) {
  (void)state;
  const struct {
    const char *text;
    int64_t value;
  } good[] = {
      {"0", 0},
      {"-0", 0},
      {"42", 42},
      {"007", 7},
      {"9223372036854775807", INT64_MAX},
      {"-9223372036854775808", INT64_MIN},
  };
  for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
    int64_t value = -1;
    assert_true(str_int(str_c(good[i].text), &value));
    assert_int_equal(value, good[i].value);
  }
}

static void what_is_no_integer_is_refused_and_changes_nothing(void **state) {
  (void)state;
  const char *bad[] = {"",
                       "-",
                       "+1",
                       " 1",
                       "1 ",
                       "1.0",
                       "1e3",
                       "0x10",
                       "--1",
                       "9223372036854775808",
                       "-9223372036854775809",
                       "99999999999999999999999",
                       "１"};
  for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
    int64_t value = 77;
    assert_false(str_int(str_c(bad[i]), &value));
    assert_int_equal(value, 77);
  }
  int64_t value = 77;
  assert_false(str_int(STR_NONE, &value));
  assert_false(str_int(STR("1\0"), &value));
  assert_int_equal(value, 77);
}

static const char *const words[] = {"input", "key", "name", "description", "subject_kind", "seed", NULL};

static void a_slip_of_the_keyboard_finds_its_word(void **state) {
  (void)state;
  const struct {
    const char *typed, *meant;
  } cases[] = {
      {"inptu", "input"},
      {"inpt", "input"},
      {"iinput", "input"},
      {"Name", "name"},
      {"descritpion", "description"},
      {"subjectkind", "subject_kind"},
      {"subjectKind", "subject_kind"},
      {"SEED", "seed"},
      {"kez", "key"},
  };
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    const char *nearest = str_nearest(str_c(cases[i].typed), words);
    assert_non_null(nearest);
    assert_string_equal(nearest, cases[i].meant);
  }
}

static void another_word_finds_nothing(void **state) {
  (void)state;
  const char *typed[] = {"", "x", "output", "label", "nmea1", "completely_different"};
  for (size_t i = 0; i < sizeof(typed) / sizeof(typed[0]); i++) assert_null(str_nearest(str_c(typed[i]), words));
  char endless[1000];
  memset(endless, 'a', sizeof(endless));
  assert_null(str_nearest((struct str){endless, sizeof(endless)}, words));
  const char *const letters[] = {"a", "b", NULL};
  assert_null(str_nearest(STR("c"), letters));
  const char *const none[] = {NULL};
  assert_null(str_nearest(STR("name"), none));
}

static void the_nearest_of_several_wins_and_the_first_of_equals(void **state) {
  (void)state;
  const char *const near[] = {"variants", "variant", "variable", NULL};
  assert_string_equal(str_nearest(STR("variant"), near), "variant");
  assert_string_equal(str_nearest(STR("varants"), near), "variants");
  const char *const tied[] = {"cat", "bat", NULL};
  assert_string_equal(str_nearest(STR("rat"), tied), "cat");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(absent_and_empty_are_equal_but_told_apart),
      cmocka_unit_test(equality_is_by_bytes_and_length),
      cmocka_unit_test(order_is_by_unsigned_bytes_then_length),
      cmocka_unit_test(prefixes),
      cmocka_unit_test(skipping_stops_at_the_end),
      cmocka_unit_test(cutting_walks_through_the_fields),
      cmocka_unit_test(integers_are_read_whole),
      cmocka_unit_test(what_is_no_integer_is_refused_and_changes_nothing),
      cmocka_unit_test(a_slip_of_the_keyboard_finds_its_word),
      cmocka_unit_test(another_word_finds_nothing),
      cmocka_unit_test(the_nearest_of_several_wins_and_the_first_of_equals),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
