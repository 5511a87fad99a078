// SPDX-License-Identifier: Apache-2.0
#include "mock/json_same.h"
#include "mock/test_mock.h"

struct pair {
  const char *a, *b;
};

static void check(const struct pair *pairs, size_t count, bool (*holds)(const json_t *, const json_t *),
                  bool expected) {
  for (size_t i = 0; i < count; i++) {
    json_t *a = json_of(pairs[i].a), *b = json_of(pairs[i].b);
    if (holds(a, b) != expected) fail_msg("%s and %s: not %d", pairs[i].a, pairs[i].b, (int)expected);
    json_decref(a);
    json_decref(b);
  }
}
#define CHECK(pairs, holds, expected) check(pairs, sizeof(pairs) / sizeof *(pairs), holds, expected)

static bool same_both_ways(const json_t *a, const json_t *b) {
  assert_int_equal(json_same(a, b), json_same(b, a));
  return json_same(a, b);
}

static void the_spelling_of_a_number_does_not_count(void **state) {
  (void)state;
  static const struct pair same[] = {
      {"1", "1"},
      {"1", "1.0"},
      {"1", "1e0"},
      {"100", "1E+2"},
      {"0", "-0.0"},
      {"0.1", "1e-1"},
      {"1.5", "15e-1"},
      {"9007199254740993", "9007199254740993"},
      {"-7", "-7.0"},
      {"-9223372036854775808", "-9.223372036854775808e18"},
      {"9007199254740992", "9007199254740992.0"},
  };
  CHECK(same, same_both_ways, true);
  static const struct pair other[] = {
      {"1", "2"},
      {"1", "1.5"},
      {"1", "-1"},
      {"0", "1e-300"},
      {"9007199254740993", "9007199254740992.0"},
      {"9223372036854775807", "9.223372036854775807e18"},
      {"1", "1e300"},
      {"-1", "-1e300"},
      {"1", "'1'"},
      {"0", "false"},
      {"0", "null"},
  };
  CHECK(other, same_both_ways, false);
}

static void texts_and_words_are_what_they_are(void **state) {
  (void)state;
  static const struct pair same[] = {{"null", "null"}, {"true", "true"},     {"false", "false"},
                                     {"''", "''"},     {"'a'", "'\\u0061'"}, {"'é'", "'\\u00e9'"}};
  CHECK(same, same_both_ways, true);
  static const struct pair other[] = {{"null", "false"}, {"true", "false"},    {"'a'", "'A'"},
                                      {"'a'", "'a '"},   {"'é'", "'e\u0301'"}, {"''", "null"}};
  CHECK(other, same_both_ways, false);
}

static void the_order_of_members_does_not_count_that_of_items_does(void **state) {
  (void)state;
  static const struct pair same[] = {
      {"{}", "{}"},
      {"[]", "[]"},
      {"{'a':1,'b':[2,{'c':3}]}", "{'b':[2.0,{'c':3e0}],'a':1}"},
  };
  CHECK(same, same_both_ways, true);
  static const struct pair other[] = {
      {"{}", "[]"},
      {"{'a':1}", "{}"},
      {"{'a':1}", "{'a':1,'b':2}"},
      {"{'a':1}", "{'b':1}"},
      {"[1,2]", "[2,1]"},
      {"[1]", "[1,1]"},
      {"{'a':null}", "{}"},
      {"{'a':null}", "{'b':null}"},
      {"{'a':{'b':1}}", "{'a':{'b':2}}"},
  };
  CHECK(other, same_both_ways, false);
}

static void a_part_is_contained(void **state) {
  (void)state;
  static const struct pair contained[] = {
      {"{'a':1,'b':2}", "{'a':1.0}"},
      {"{'a':1}", "{}"},
      {"[1]", "[]"},
      {"{'a':{'b':1,'c':2},'d':3}", "{'a':{'c':2}}"},
      {"[1,2,3]", "[1,3]"},
      {"[0,{'a':1,'b':2},3]", "[{'b':2}]"},
      {"[[1,2],[3,4]]", "[[2],[4]]"},
      {"[{'a':1},{'a':1,'b':2}]", "[{'a':1},{'b':2}]"},
      {"[1,1,2]", "[1,2]"},
      {"7", "7.0"},
      {"'a'", "'a'"},
      {"null", "null"},
  };
  CHECK(contained, json_contains, true);
  static const struct pair missing[] = {
      {"{'a':1}", "{'a':1,'b':2}"},
      {"{'a':1}", "{'a':2}"},
      {"{'a':[1,2]}", "{'a':[2,1]}"},
      {"[1,2,3]", "[3,1]"},
      {"[1]", "[1,1]"},
      {"[{'a':1,'b':2}]", "[{'a':1},{'b':2}]"},
      {"{}", "[]"},
      {"[]", "{}"},
      {"[]", "[[]]"},
      {"'abc'", "'b'"},
      {"{'a':{}}", "{'a':null}"},
      {"{'a':1}", "1"},
      {"[1]", "1"},
  };
  CHECK(missing, json_contains, false);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_spelling_of_a_number_does_not_count),
      cmocka_unit_test(texts_and_words_are_what_they_are),
      cmocka_unit_test(the_order_of_members_does_not_count_that_of_items_does),
      cmocka_unit_test(a_part_is_contained),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
