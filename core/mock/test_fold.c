// SPDX-License-Identifier: Apache-2.0
#include "mock/fold.h"
#include "mock/test_mock.h"

static void check(const char *text, unsigned folds, const char *expected) {
  AUTO(buf_done) struct buf out;
  buf_init(&out, 4096);
  buf_add_c(&out, "what was there before");
  fold_text(str_c(text), folds, &out);
  if (!str_eq(buf_str(&out), str_c(expected))) fail_msg("'%s' becomes '%s'", text, buf_str(&out).data);
}

static void trimming_takes_blanks_off_both_ends(void **state) {
  (void)state;
  check("a", FOLD_TRIM, "a");
  check(" \t\r\n a b \r\n", FOLD_TRIM, "a b");
  check("\ufeffa\u200b", FOLD_TRIM, "a");
  check("\u00a0\u2003a\u3000\u2028", FOLD_TRIM, "a");
  check("\x01"
        "a\x7f",
        FOLD_TRIM, "a");
  check(" é ", FOLD_TRIM, "é");
  check(" \n\u00a0", FOLD_TRIM, "");
  check("", FOLD_TRIM, "");
  check("-a-", FOLD_TRIM, "-a-");
}

static void case_is_folded_as_unicode_says(void **state) {
  (void)state;
  check("Crm:Customer/42", FOLD_CASE, "crm:customer/42");
  check("@[`{AZaz", FOLD_CASE, "@[`{azaz");
  check("ÉCOLE", FOLD_CASE, "école");
  check("Straße", FOLD_CASE, "strasse");
  check("ΣΑΣ", FOLD_CASE, "σασ");
  check(" A ", FOLD_CASE, " a ");
  check("cafe\u0301", FOLD_CASE, "cafe\u0301");
}

static void unicode_forms_become_one(void **state) {
  (void)state;
  check("cafe\u0301", FOLD_UNICODE, "caf\u00e9");
  check("caf\u00e9", FOLD_UNICODE, "caf\u00e9");
  check("\ufb01x", FOLD_UNICODE, "fix");
  check("\uff21\uff11", FOLD_UNICODE, "A1");
  check("a\u00a0b", FOLD_UNICODE, "a b");
  check("Abc ", FOLD_UNICODE, "Abc ");
}

static void all_folds_together(void **state) {
  (void)state;
  check(" CAFE\u0301\n", FOLD_ALL, "caf\u00e9");
  check("\ufeff\uff21BC", FOLD_ALL, "abc");
  check(" x ", 0, " x ");
  check("É", 0, "É");
}

static bool starts(struct str wanted, struct str text) {
  return str_starts(text, wanted);
}

static void the_smallest_sum_that_makes_them_equal_is_found(void **state) {
  (void)state;
  static const struct {
    const char *wanted, *text;
    unsigned folds;
  } cases[] = {
      {"a", "a", 0},
      {"a", "b", 0},
      {"a", "a\n", FOLD_TRIM},
      {" a", "a", FOLD_TRIM},
      {"A", "a", FOLD_CASE},
      {"caf\u00e9", "cafe\u0301", FOLD_UNICODE},
      {"A", " a", FOLD_TRIM | FOLD_CASE},
      {"caf\u00e9", "cafe\u0301 ", FOLD_TRIM | FOLD_UNICODE},
      {"CAF\u00c9", "cafe\u0301", FOLD_CASE | FOLD_UNICODE},
      {"CAF\u00c9", "cafe\u0301\n", FOLD_ALL},
      {"straße", "STRASSE", FOLD_CASE},
      {"a b", "a  b", 0},
      {" ", "\n", 0},
      {"", " ", 0},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    unsigned folds = fold_until(str_c(cases[i].wanted), str_c(cases[i].text), str_eq);
    if (folds != cases[i].folds) fail_msg("'%s' and '%s': %u", cases[i].wanted, cases[i].text, folds);
  }
}

static void what_should_hold_is_the_callers(void **state) {
  (void)state;
  assert_int_equal(fold_until(STR("KB:"), STR(" kb:7"), starts), FOLD_TRIM | FOLD_CASE);
  assert_int_equal(fold_until(STR("kb:"), STR("kb:7"), starts), 0);
  assert_int_equal(fold_until(STR("kb:"), STR("crm:7"), starts), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(trimming_takes_blanks_off_both_ends),
      cmocka_unit_test(case_is_folded_as_unicode_says),
      cmocka_unit_test(unicode_forms_become_one),
      cmocka_unit_test(all_folds_together),
      cmocka_unit_test(the_smallest_sum_that_makes_them_equal_is_found),
      cmocka_unit_test(what_should_hold_is_the_callers),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
