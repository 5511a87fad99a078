// SPDX-License-Identifier: Apache-2.0
// Globs by what they must and must not match, and against a second matcher that tries everything.
#include "mock/glob.h"
#include "mock/test_mock.h"
#include "mock/test_naive.h"

struct glob_case {
  const char *pattern, *text;
  enum match expected;
};

static enum match match(const char *pattern, const char *text) {
  size_t steps_left = MATCH_STEPS_MAX;
  return glob_match(str_c(pattern), str_c(text), &steps_left, NULL);
}

static void check_all(const struct glob_case *cases, size_t count) {
  for (size_t i = 0; i < count; i++) {
    enum match found = match(cases[i].pattern, cases[i].text);
    if (found != cases[i].expected) fail_msg("'%s' of '%s' is %d", cases[i].pattern, cases[i].text, (int)found);
  }
}
#define CHECK_ALL(cases) check_all(cases, sizeof(cases) / sizeof *(cases))

static void a_pattern_covers_the_whole_text(void **state) {
  (void)state;
  static const struct glob_case cases[] = {
      {"", "", MATCH_YES},
      {"", "a", MATCH_NO},
      {"a", "a", MATCH_YES},
      {"a", "", MATCH_NO},
      {"a", "A", MATCH_NO},
      {"a", "ab", MATCH_NO},
      {"b", "ab", MATCH_NO},
      {"a", "a\n", MATCH_NO},
      {"a ", "a", MATCH_NO},
      {"payments:*", "payments:refund?order=7", MATCH_YES},
      {"payments:*", "payments:", MATCH_YES},
      {"payments:*", "xpayments:", MATCH_NO},
      {"*.json", "a.json.json", MATCH_YES},
      {"*.json", "a.json ", MATCH_NO},
      {"a*b*c", "a--b--c", MATCH_YES},
      {"a*b*c", "a--c--b", MATCH_NO},
      {"a*bc", "abbbc", MATCH_YES},
      {"[ab]", "a", MATCH_NO},
      {"[ab]", "[ab]", MATCH_YES},
      {"{a,b}", "a", MATCH_NO},
  };
  CHECK_ALL(cases);
}

static void one_star_ends_with_the_line_two_do_not(void **state) {
  (void)state;
  static const struct glob_case cases[] = {
      {"*", "one line", MATCH_YES},
      {"*", "", MATCH_YES},
      {"*", "two\nlines", MATCH_NO},
      {"*", "a\n", MATCH_NO},
      {"*", "\n", MATCH_NO},
      {"**", "two\nlines\n", MATCH_YES},
      {"***", "two\nlines", MATCH_YES},
      {"*\n*", "two\nlines", MATCH_YES},
      {"*\n*", "three\nlines\n", MATCH_NO},
      {"*\n", "a\n", MATCH_YES},
      {"a*c", "a\nc", MATCH_NO},
      {"a**c", "a\n\n\nc", MATCH_YES},
      {"SELECT *\nFROM **", "SELECT a, b\nFROM t\nWHERE x", MATCH_YES},
      {"SELECT *\nFROM **", "SELECT a,\n b\nFROM t\nWHERE x", MATCH_NO},
      {"SELECT **\nFROM **", "SELECT a,\n b\nFROM t\nWHERE x", MATCH_YES},
      {"**b*d", "a b\nb c d", MATCH_YES},
      {"**b*d", "a b\nc d", MATCH_NO},
      {"*a**b*", "xa\n\nb", MATCH_YES},
      {"*a**b*", "x\na\n\nb", MATCH_NO},
      {"*", "a\rb", MATCH_YES},
      {"a*\n", "a\r\n", MATCH_YES},
  };
  CHECK_ALL(cases);
}

static void a_question_mark_is_one_character_of_a_line(void **state) {
  (void)state;
  static const struct glob_case cases[] = {
      {"a?c", "abc", MATCH_YES},
      {"a?c", "ac", MATCH_NO},
      {"a?c", "abbc", MATCH_NO},
      {"a?c", "a\nc", MATCH_NO},
      {"?", "é", MATCH_YES},
      {"?", "€", MATCH_YES},
      {"?", "𝄞", MATCH_YES},
      {"??", "é", MATCH_NO},
      {"??", "e\u0301", MATCH_YES},
      {"caf?", "café", MATCH_YES},
      {"caf?", "cafe\u0301", MATCH_NO},
      {"*?", "", MATCH_NO},
      {"*?é", "éé", MATCH_YES},
  };
  CHECK_ALL(cases);
}

// A star that grew into a character would leave the rest of it to a question mark.
static void a_star_takes_whole_characters(void **state) {
  (void)state;
  static const struct glob_case cases[] = {
      {"*??", "€", MATCH_NO},  {"*??", "𝄞", MATCH_NO},    {"*???", "𝄞", MATCH_NO},
      {"**??", "€", MATCH_NO}, {"*??", "€€", MATCH_YES},  {"*?\u00ac", "€", MATCH_NO},
      {"*é", "é", MATCH_YES},  {"*é*", "aéb", MATCH_YES}, {"*😀?", "x😀y", MATCH_YES},
  };
  CHECK_ALL(cases);
}

static void a_backslash_takes_the_next_character_as_it_is(void **state) {
  (void)state;
  static const struct glob_case cases[] = {
      {"\\*", "*", MATCH_YES},   {"\\*", "a", MATCH_NO},    {"\\?", "?", MATCH_YES},   {"\\?", "a", MATCH_NO},
      {"\\\\", "\\", MATCH_YES}, {"a\\b", "ab", MATCH_YES}, {"\\é", "é", MATCH_YES},   {"a\\", "a\\", MATCH_YES},
      {"*\\*", "a*", MATCH_YES}, {"*\\*", "a", MATCH_NO},   {"\\**", "*x", MATCH_YES}, {"\\**", "x", MATCH_NO},
      {"\\\n", "\n", MATCH_YES},
  };
  CHECK_ALL(cases);
}

static void nothing_is_normalised_or_folded(void **state) {
  (void)state;
  static const struct glob_case cases[] = {
      {"caf\u00e9*", "cafe\u0301", MATCH_NO},
      {"cafe\u0301", "caf\u00e9", MATCH_NO},
      {"KB:*", "kb:7", MATCH_NO},
      {"kb:*", " kb:7", MATCH_NO},
  };
  CHECK_ALL(cases);
}

static void what_was_reached_is_told(void **state) {
  (void)state;
  static const struct {
    const char *pattern, *text;
    struct glob_reach reach;
  } cases[] = {
      {"kb:*/x", "kb:a/y", {5, 5}},
      {"kb:*/x", "zz", {0, 0}},
      {"kb:*/x", "kb:", {4, 3}},
      {"kb:*/x", "kb:a/x", {6, 6}},
      {"*\\*b", "x*", {3, 2}},
      {"a*", "ab\nc", {2, 2}},
      {"", "a", {0, 0}},
      {"a**b*c", "a\nb-\nb+\n", {5, 7}},
      {"*é", "aè", {2, 2}},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct glob_reach reach = {99, 99};
    size_t steps_left = MATCH_STEPS_MAX;
    glob_match(str_c(cases[i].pattern), str_c(cases[i].text), &steps_left, &reach);
    if (reach.pattern != cases[i].reach.pattern || reach.text != cases[i].reach.text)
      fail_msg("'%s' of '%s': %zu, %zu", cases[i].pattern, cases[i].text, reach.pattern, reach.text);
  }
}

static void a_pattern_that_takes_too_many_steps_is_undecided(void **state) {
  (void)state;
  static char pattern[1001], text[8193];
  memset(pattern, 'a', sizeof pattern - 1);
  memset(text, 'a', sizeof text - 1);
  pattern[0] = '*';
  pattern[sizeof pattern - 2] = 'b';
  for (int i = 0; i < 2; i++) {
    size_t steps_left = MATCH_STEPS_MAX;
    assert_int_equal(glob_match(str_c(pattern), str_c(text), &steps_left, NULL), MATCH_LIMIT);
    assert_int_equal(steps_left, 0);
  }
}

static void steps_are_counted_to_the_last(void **state) {
  (void)state;
  size_t steps_left = 3;
  assert_int_equal(glob_match(STR("ab"), STR("ab"), &steps_left, NULL), MATCH_YES);
  assert_int_equal(steps_left, 1);
  steps_left = 2;
  assert_int_equal(glob_match(STR("ab"), STR("ab"), &steps_left, NULL), MATCH_LIMIT);
  assert_int_equal(steps_left, 0);
  assert_int_equal(glob_match(STR("x"), STR("y"), &steps_left, NULL), MATCH_LIMIT);
}

// ---- against a matcher that tries everything ----

static void draw(uint64_t *seed, const char *const *words, size_t count, size_t most, char *out) {
  *out = '\0';
  for (size_t n = next_random(seed) % (most + 1); n > 0; n--) {
    const char *word = words[next_random(seed) % count];
    memcpy(out, word, strlen(word) + 1);
    out += strlen(word);
  }
}

static void random_patterns_agree_with_trying_everything(void **state) {
  (void)state;
  static const char *const of_patterns[] = {"a", "b", "\n", "*", "*", "**", "?", "€", "\\*", "\\a"};
  static const char *const of_texts[] = {"a", "a", "b", "\n", "€", "*"};
  uint64_t seed = 11;
  size_t matched = 0;
  for (int i = 0; i < 200000; i++) {
    char pattern[32], text[32];
    draw(&seed, of_patterns, sizeof of_patterns / sizeof *of_patterns, 7, pattern);
    draw(&seed, of_texts, sizeof of_texts / sizeof *of_texts, 8, text);
    bool expected = naive_glob(pattern, text);
    if (match(pattern, text) != (expected ? MATCH_YES : MATCH_NO))
      fail_msg("'%s' of '%s' should be %d", pattern, text, (int)expected);
    matched += expected;
  }
  assert_in_range(matched, 10000, 190000);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_pattern_covers_the_whole_text),
      cmocka_unit_test(one_star_ends_with_the_line_two_do_not),
      cmocka_unit_test(a_question_mark_is_one_character_of_a_line),
      cmocka_unit_test(a_star_takes_whole_characters),
      cmocka_unit_test(a_backslash_takes_the_next_character_as_it_is),
      cmocka_unit_test(nothing_is_normalised_or_folded),
      cmocka_unit_test(what_was_reached_is_told),
      cmocka_unit_test(a_pattern_that_takes_too_many_steps_is_undecided),
      cmocka_unit_test(steps_are_counted_to_the_last),
      cmocka_unit_test(random_patterns_agree_with_trying_everything),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
