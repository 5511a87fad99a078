// SPDX-License-Identifier: Apache-2.0
#include "access/account_text.h"
#include "access/test_access.h"

static void fails_at(bool ok, struct err *err, const char *place) {
  assert_false(ok);
  assert_int_equal(err->code, ERR_BAD_REQUEST);
  assert_string_equal(err->place, place);
  err_clear(err);
}

static void emails_that_could_be_one_pass(void **state) {
  (void)state;
  static const char *const good[] = {"a@b", "first.last+tag@example.org", "josé@exämple.org", "A@B"};
  struct err err = {0};
  for (size_t i = 0; i < sizeof good / sizeof *good; i++) assert_true(email_check(str_c(good[i]), &err));
}

static void emails_that_could_never_be_one_are_refused(void **state) {
  (void)state;
  static const char *const bad[] = {"",      "a",    "@",     "a@",    "@b",      "a@b@c",
                                    "a b@c", "a@b ", "a\t@b", "a@b\n", "a@b\x7f", "\xff@b"};
  struct err err = {0};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) fails_at(email_check(str_c(bad[i]), &err), &err, "email");
  fails_at(email_check(STR_NONE, &err), &err, "email");
}

static void an_email_has_at_most_254_bytes(void **state) {
  (void)state;
  char text[EMAIL_MAX_BYTES + 2];
  memset(text, 'a', sizeof text);
  text[1] = '@';
  struct err err = {0};
  assert_true(email_check((struct str){text, EMAIL_MAX_BYTES}, &err));
  fails_at(email_check((struct str){text, EMAIL_MAX_BYTES + 1}, &err), &err, "email");
}

static void folding_lowers_ascii_letters_only(void **state) {
  (void)state;
  struct err err = {0};
  struct email email;
  assert_true(email_fold(STR("Ana.ÁZ@Example.ORG"), &email, &err));
  CHECK_STR(email_str(&email), "ana.Áz@example.org");
}

static void passwords_have_10_to_1024_bytes(void **state) {
  (void)state;
  char text[PASSWORD_MAX_BYTES + 1];
  memset(text, 'p', sizeof text);
  struct err err = {0};
  fails_at(password_check((struct str){text, 9}, &err), &err, "password");
  assert_true(password_check((struct str){text, 10}, &err));
  assert_true(password_check((struct str){text, 1024}, &err));
  fails_at(password_check((struct str){text, 1025}, &err), &err, "password");
}

static void slugs_are_lower_case_words_with_inner_hyphens(void **state) {
  (void)state;
  static const char *const good[] = {"a", "0", "acme", "a-b", "a--b", "acme-2"};
  static const char *const bad[] = {"", "-", "-a", "a-", "A", "a_b", "a b", "é"};
  struct err err = {0};
  for (size_t i = 0; i < sizeof good / sizeof *good; i++) assert_true(slug_check(str_c(good[i]), &err));
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) fails_at(slug_check(str_c(bad[i]), &err), &err, "slug");
  char text[SLUG_MAX_BYTES + 1];
  memset(text, 's', sizeof text);
  assert_true(slug_check((struct str){text, SLUG_MAX_BYTES}, &err));
  fails_at(slug_check((struct str){text, SLUG_MAX_BYTES + 1}, &err), &err, "slug");
}

static void a_name_makes_a_valid_slug(void **state) {
  (void)state;
  static const struct {
    const char *name, *slug;
  } cases[] = {
      {"Acme", "acme"},
      {"Acme, Inc.", "acme-inc"},
      {"  two   words ", "two-words"},
      {"Café 24", "caf-24"},
      {"株式会社", "organization"},
      {"", "organization"},
      {"x123456789012345678901234567890123456789012345678901234567890 ab",
       "x123456789012345678901234567890123456789012345678901234567890-a"},
      {"x1234567890123456789012345678901234567890123456789012345678901 b",
       "x1234567890123456789012345678901234567890123456789012345678901"},
      {"x12345678901234567890123456789012345678901234567890123456789012 b",
       "x12345678901234567890123456789012345678901234567890123456789012"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char slug[SLUG_MAX_BYTES + 1];
    slug_from_name(str_c(cases[i].name), slug);
    assert_string_equal(slug, cases[i].slug);
    struct err err = {0};
    assert_true(slug_check(str_c(slug), &err));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(emails_that_could_be_one_pass),
      cmocka_unit_test(emails_that_could_never_be_one_are_refused),
      cmocka_unit_test(an_email_has_at_most_254_bytes),
      cmocka_unit_test(folding_lowers_ascii_letters_only),
      cmocka_unit_test(passwords_have_10_to_1024_bytes),
      cmocka_unit_test(slugs_are_lower_case_words_with_inner_hyphens),
      cmocka_unit_test(a_name_makes_a_valid_slug),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
