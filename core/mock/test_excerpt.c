// SPDX-License-Identifier: Apache-2.0
#include "mock/excerpt.h"
#include "mock/test_mock.h"

static void check_difference(const char *a, const char *b, size_t at) {
  assert_int_equal(first_difference(str_c(a), str_c(b)), at);
  assert_int_equal(first_difference(str_c(b), str_c(a)), at);
}

static void texts_differ_at_a_whole_character(void **state) {
  (void)state;
  check_difference("abc", "abd", 2);
  check_difference("abc", "ab", 2);
  check_difference("", "a", 0);
  check_difference("same", "same", 4);
  check_difference("xé", "xè", 1); // the second byte is another one
  check_difference("x€", "x₭", 1); // the third
  check_difference("xé", "x", 1);
  check_difference("caf\u00e9", "cafe\u0301", 3);
}

static void check_marked(const char *text, size_t at, const char *expected) {
  AUTO(buf_done) struct buf out;
  buf_init(&out, 400);
  excerpt_marked(&out, str_c(text), at);
  assert_string_equal(buf_str(&out).data, expected);
}

#define TEN   "0123456789"
#define FORTY TEN TEN TEN TEN

static void the_character_at_hand_is_marked(void **state) {
  (void)state;
  check_marked("abc", 0, "⟦a⟧bc");
  check_marked("abc", 1, "a⟦b⟧c");
  check_marked("abc", 3, "abc⟦⟧");
  check_marked("abc", 99, "abc⟦⟧");
  check_marked("", 0, "⟦⟧");
  check_marked("aéb", 1, "a⟦é⟧b");
  check_marked("a𝄞", 1, "a⟦𝄞⟧");
  check_marked("a\nb", 1, "a⟦\n⟧b");
}

static void what_is_far_away_is_left_out(void **state) {
  (void)state;
  check_marked(FORTY "x" FORTY FORTY, 40, FORTY "⟦x⟧" FORTY FORTY);
  check_marked("-" FORTY "x" FORTY FORTY "-", 41, "…" FORTY "⟦x⟧" FORTY FORTY "…");
  check_marked("é" TEN TEN TEN "012345678x", 41, "é" TEN TEN TEN "012345678⟦x⟧");
  check_marked("-é" TEN TEN TEN "012345678x", 42, "…é" TEN TEN TEN "012345678⟦x⟧");
  check_marked("x" FORTY TEN TEN TEN "012345678é", 0, "⟦x⟧" FORTY TEN TEN TEN "012345678…");
}

static void a_plain_one_is_the_beginning(void **state) {
  (void)state;
  AUTO(buf_done) struct buf out;
  buf_init(&out, 400);
  excerpt_plain(&out, STR(FORTY FORTY FORTY));
  assert_string_equal(buf_str(&out).data, FORTY FORTY FORTY);
  buf_clear(&out);
  excerpt_plain(&out, STR(FORTY FORTY FORTY "x"));
  assert_string_equal(buf_str(&out).data, FORTY FORTY FORTY "…");
  buf_clear(&out);
  excerpt_plain(&out, STR(FORTY FORTY TEN TEN TEN "012345678é"));
  assert_string_equal(buf_str(&out).data, FORTY FORTY TEN TEN TEN "012345678…");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(texts_differ_at_a_whole_character),
      cmocka_unit_test(the_character_at_hand_is_marked),
      cmocka_unit_test(what_is_far_away_is_left_out),
      cmocka_unit_test(a_plain_one_is_the_beginning),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
