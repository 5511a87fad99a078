// SPDX-License-Identifier: Apache-2.0
// Regular expressions: what they mean here, and that none of them can stall a run.
#include "mock/regex.h"
#include "mock/test_mock.h"

enum { TEXT_MAX = 8192 };

static struct regex *compiled(const char *pattern) {
  struct regex *regex = NULL;
  struct err err = {0};
  if (!regex_new(str_c(pattern), &regex, &err)) fail_msg("%s: %s", pattern, err.msg);
  return regex;
}

static enum match match_counted(const char *pattern, struct str text, size_t *steps_left) {
  struct regex *regex = compiled(pattern);
  struct regex_scratch *scratch = regex_scratch_new();
  enum match match = regex_match(regex, scratch, text, steps_left);
  regex_scratch_free(scratch);
  regex_free(regex);
  return match;
}

static enum match match(const char *pattern, struct str text) {
  size_t steps_left = MATCH_STEPS_MAX;
  return match_counted(pattern, text, &steps_left);
}

struct regex_case {
  const char *pattern, *text;
  enum match expected;
};

static void check_all(const struct regex_case *cases, size_t count) {
  for (size_t i = 0; i < count; i++) {
    enum match found = match(cases[i].pattern, str_c(cases[i].text));
    if (found != cases[i].expected) fail_msg("'%s' of '%s' is %d", cases[i].pattern, cases[i].text, (int)found);
  }
}
#define CHECK_ALL(cases) check_all(cases, sizeof(cases) / sizeof *(cases))

static void anchors_are_only_where_the_pattern_has_them(void **state) {
  (void)state;
  static const struct regex_case cases[] = {
      {"article/(\\d+)", "kb:article/7?x", MATCH_YES},
      {"^article", "kb:article", MATCH_NO},
      {"^kb:article/(\\d+)$", "kb:article/77", MATCH_YES},
      {"^kb:article/(\\d+)$", "kb:article/77x", MATCH_NO},
      {"", "anything", MATCH_YES},
      {"^$", "", MATCH_YES},
      {"a", "A", MATCH_NO},
      {"(?i)a", "A", MATCH_YES},
  };
  CHECK_ALL(cases);
}

static void a_dollar_is_the_very_end(void **state) {
  (void)state;
  static const struct regex_case cases[] = {
      {"^a$", "a", MATCH_YES},       {"^a$", "a\n", MATCH_NO},     {"^a$", "a\nb", MATCH_NO},
      {"^a$", "a\r\n", MATCH_NO},    {"^a\\n$", "a\n", MATCH_YES}, {"(?m)^b$", "a\nb\nc", MATCH_YES},
      {"(?m)^a$", "a\n", MATCH_YES}, {"a.b", "a\nb", MATCH_NO},    {"(?s)a.b", "a\nb", MATCH_YES},
      {"^a\\z", "a\n", MATCH_NO},
  };
  CHECK_ALL(cases);
}

static void what_stands_around_a_match_can_be_asked_for(void **state) {
  (void)state;
  static const struct regex_case cases[] = {
      {"(?<=order=)7", "refund?order=7", MATCH_YES},
      {"(?<=order=)7", "refund?id=7", MATCH_NO},
      {"(?<!in)active", "active", MATCH_YES},
      {"^(?!inactive)", "inactive", MATCH_NO},
      {"(?=.*x)a", "abx", MATCH_YES},
      {"^(a|b)\\1$", "aa", MATCH_YES},
      {"^(a|b)\\1$", "ab", MATCH_NO},
      {"^(?:(\\()|x|\\))+$", "(x)", MATCH_YES},
  };
  CHECK_ALL(cases);
}

static void text_is_characters_and_classes_are_ascii(void **state) {
  (void)state;
  static const struct regex_case cases[] = {
      {"^.$", "é", MATCH_YES},        {"^.$", "e\u0301", MATCH_NO},
      {"^..$", "e\u0301", MATCH_YES}, {"^caf\u00e9$", "cafe\u0301", MATCH_NO},
      {"^\\d$", "٣", MATCH_NO},       {"^\\w$", "é", MATCH_NO},
      {"^\\p{L}$", "é", MATCH_YES},   {"^\\x{e9}$", "é", MATCH_YES},
      {"(?i)^É$", "é", MATCH_YES},    {"^𝄞$", "𝄞", MATCH_YES},
  };
  CHECK_ALL(cases);
}

static void an_absent_text_is_an_empty_one(void **state) {
  (void)state;
  assert_int_equal(match("^$", STR_NONE), MATCH_YES);
  assert_int_equal(match("a", STR_NONE), MATCH_NO);
}

static void a_pattern_that_is_none_is_refused_with_its_byte(void **state) {
  (void)state;
  static const struct {
    const char *pattern, *message;
  } cases[] = {
      {"a(b", "The regular expression can't be used: missing closing parenthesis (at byte 3)."},
      {"[a", "The regular expression can't be used: missing terminating ] for character class (at byte 2)."},
      {"*a", "The regular expression can't be used: quantifier does not follow a repeatable item (at byte 0)."},
      {"(?<=a+)b", "The regular expression can't be used: lookbehind assertion is not fixed length (at byte 0)."},
      {"\\C", "The regular expression can't be used: using \\C is disabled by the application (at byte 2)."},
      {"é)", "The regular expression can't be used: unmatched closing parenthesis (at byte 2)."},
      {"ab\\X+", "The regular expression can't be used: \\X is not supported here (at byte 2)."},
      {"(*sr:a)", "The regular expression can't be used: script runs are not supported here (at byte 0)."},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct regex *regex = NULL;
    struct err err = {0};
    assert_false(regex_new(str_c(cases[i].pattern), &regex, &err));
    assert_null(regex);
    assert_int_equal(err.code, ERR_BAD_REQUEST);
    assert_string_equal(err.msg, cases[i].message);
  }
}

// ---- limits ----

static struct str repeated(char *room, size_t len, char c) {
  memset(room, c, len);
  return (struct str){room, len};
}

static void hostile_patterns_end_at_the_limit(void **state) {
  (void)state;
  static const char *const patterns[] = {
      "^(a+)+$",       "^(a*)*$",        "(a|aa)+$", "^(a|a?)+$",         "^((a+)*)*$",   "(.*a){20}[^a]$",
      "^(\\w+\\s?)+$", "(?:a?){12}[bc]", "\\w*\\d",  "(?:\\w*\\d|\\w*-)", "(a*)\\1*[bc]", "(?=(a+))a*[bc]\\1",
  };
  static char room[TEXT_MAX];
  struct str text = repeated(room, sizeof room, 'a');
  room[sizeof room - 1] = '!';
  for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
    enum match found = match(patterns[i], text);
    if (found != MATCH_LIMIT) fail_msg("'%s' is %d", patterns[i], (int)found);
  }
}

// What an item walks over before it fails shows in no callout; with what it must repeat it is known.
static void an_item_that_must_repeat_is_charged_for_its_way(void **state) {
  (void)state;
  static const char *const patterns[] = {"a{9000}|zz", "\\pL{9000}|zz", "(?i)[a\\x{3b1}]{9000}|zz", "[^b]{9000,}|zz"};
  static char room[TEXT_MAX];
  for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
    enum match found = match(patterns[i], repeated(room, sizeof room, 'a'));
    if (found != MATCH_LIMIT) fail_msg("'%s' is %d", patterns[i], (int)found);
  }
  assert_int_equal(match("\\\\X", STR("a\\X")), MATCH_YES); // a backslash, and an X
  assert_int_equal(match("^[0-9]{4}-[0-9]{2}$", STR("2026-12")), MATCH_YES);
}

// PCRE2 itself begins to count anew at each place where a match may start.
static void the_steps_of_all_starts_are_counted_together(void **state) {
  (void)state;
  static char room[TEXT_MAX];
  size_t steps_left = MATCH_STEPS_MAX;
  assert_int_equal(match_counted("(?:a?){8}[bc]", repeated(room, 100, 'a'), &steps_left), MATCH_NO);
  size_t of_100 = MATCH_STEPS_MAX - steps_left;
  steps_left = MATCH_STEPS_MAX;
  assert_int_equal(match_counted("(?:a?){8}[bc]", repeated(room, 20, 'a'), &steps_left), MATCH_NO);
  assert_in_range(of_100, 5 * (MATCH_STEPS_MAX - steps_left), MATCH_STEPS_MAX);
}

static void steps_are_the_same_each_time(void **state) {
  (void)state;
  static char room[1000];
  struct str text = repeated(room, sizeof room, 'a');
  size_t first = MATCH_STEPS_MAX, again = MATCH_STEPS_MAX;
  assert_int_equal(match_counted("a*?b|(a|b)*c", text, &first), match_counted("a*?b|(a|b)*c", text, &again));
  assert_int_equal(first, again);
  assert_true(first < MATCH_STEPS_MAX);
}

static void steps_that_are_left_are_enough_or_not(void **state) {
  (void)state;
  size_t steps_left = MATCH_STEPS_MAX;
  assert_int_equal(match_counted("^ab$", STR("ab"), &steps_left), MATCH_YES);
  size_t taken = MATCH_STEPS_MAX - steps_left;
  assert_in_range(taken, 3 * MATCH_REGEX_ITEM_STEPS, 6 * MATCH_REGEX_ITEM_STEPS);
  steps_left = taken + 1;
  assert_int_equal(match_counted("^ab$", STR("ab"), &steps_left), MATCH_YES);
  assert_int_equal(steps_left, 1);
  steps_left = taken;
  assert_int_equal(match_counted("^ab$", STR("ab"), &steps_left), MATCH_LIMIT);
  assert_int_equal(steps_left, 0);
}

static void an_ordinary_pattern_reads_the_longest_text(void **state) {
  (void)state;
  static char room[TEXT_MAX];
  for (size_t i = 0; i < sizeof room; i++) room[i] = i % 40 == 39 ? '\n' : i % 8 == 7 ? ' ' : (char)('a' + i % 7);
  struct str text = {room, sizeof room};
  assert_int_equal(match("(\\w+): (\\d+)", text), MATCH_NO);
  assert_int_equal(match("(?s)^abc.*xyz", text), MATCH_NO);
  assert_int_equal(match("(?m)^(\\w+) (\\w+)$", text), MATCH_NO);
  memcpy(room + sizeof room - 6, "key: 7", 6);
  assert_int_equal(match("(\\w+): (\\d+)$", text), MATCH_YES);
}

static void what_is_nested_too_deep_is_undecided(void **state) {
  (void)state;
  static char room[TEXT_MAX];
  assert_int_equal(match("^(?:a|b)*c$", repeated(room, sizeof room, 'a')), MATCH_LIMIT);
  assert_int_equal(match("^(?:a|b)*$", repeated(room, 1000, 'a')), MATCH_YES);
}

static void its_memory_is_known(void **state) {
  (void)state;
  struct regex *small = compiled("a"), *large = compiled("(?:abc){500}");
  assert_in_range(regex_bytes(small), 100, 2000);
  assert_in_range(regex_bytes(large), regex_bytes(small) + 1500, 60000);
  regex_free(small);
  regex_free(large);
  regex_free(NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(anchors_are_only_where_the_pattern_has_them),
      cmocka_unit_test(a_dollar_is_the_very_end),
      cmocka_unit_test(what_stands_around_a_match_can_be_asked_for),
      cmocka_unit_test(text_is_characters_and_classes_are_ascii),
      cmocka_unit_test(an_absent_text_is_an_empty_one),
      cmocka_unit_test(a_pattern_that_is_none_is_refused_with_its_byte),
      cmocka_unit_test(hostile_patterns_end_at_the_limit),
      cmocka_unit_test(an_item_that_must_repeat_is_charged_for_its_way),
      cmocka_unit_test(the_steps_of_all_starts_are_counted_together),
      cmocka_unit_test(steps_are_the_same_each_time),
      cmocka_unit_test(steps_that_are_left_are_enough_or_not),
      cmocka_unit_test(an_ordinary_pattern_reads_the_longest_text),
      cmocka_unit_test(what_is_nested_too_deep_is_undecided),
      cmocka_unit_test(its_memory_is_known),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
