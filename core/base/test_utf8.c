// SPDX-License-Identifier: Apache-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
// cmocka.h uses what stands above.
#include <cmocka.h>

#include "base/utf8.h"

// The bounds of every row of table 3-7 in the Unicode Standard, chapter 3.
static void well_formed_sequences_are_accepted(void **state) {
  (void)state;
  const char *good[] = {
      "",
      "\x01\x7f",
      "\xc2\x80",
      "\xdf\xbf",
      "\xe0\xa0\x80",
      "\xe0\xbf\xbf",
      "\xe1\x80\x80",
      "\xec\xbf\xbf",
      "\xed\x80\x80",
      "\xed\x9f\xbf",
      "\xee\x80\x80",
      "\xef\xbf\xbf",
      "\xf0\x90\x80\x80",
      "\xf0\xbf\xbf\xbf",
      "\xf1\x80\x80\x80",
      "\xf3\xbf\xbf\xbf",
      "\xf4\x80\x80\x80",
      "\xf4\x8f\xbf\xbf",
      "plain text that is longer than a word, then ünd 😀 mixed",
  };
  for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) assert_true(utf8_valid(str_c(good[i]), NULL));
  assert_true(utf8_valid(STR("a\0b"), NULL));
  assert_true(utf8_valid(STR_NONE, NULL));
}

static void malformed_sequences_are_refused_where_they_start(void **state) {
  (void)state;
  const char *bad[] = {
      "\x80",             // continuation alone
      "\xbf",             //
      "\xc0\x80",         // overlong NUL
      "\xc1\xbf",         // overlong, two bytes
      "\xe0\x80\x80",     // overlong, three bytes
      "\xe0\x9f\xbf",     //
      "\xf0\x80\x80\x80", // overlong, four bytes
      "\xf0\x8f\xbf\xbf", //
      "\xed\xa0\x80",     // surrogates
      "\xed\xbf\xbf",     //
      "\xf4\x90\x80\x80", // above U+10FFFF
      "\xf5\x80\x80\x80", //
      "\xff",             //
      "\xfe",             //
      "\xc3",             // cut short
      "\xe2\x82",         //
      "\xf0\x9f\x98",     //
      "\xc3(",            // not continued
      "\xe2\x82(",        //
      "\xe2(\x82",        //
      "\xf0\x9f\x98(",    //
  };
  const char *before[] = {"", "abc", "exactly8", "twelve bytes", "äöü"};
  for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
    for (size_t j = 0; j < sizeof(before) / sizeof(before[0]); j++) {
      char text[64];
      size_t before_len = strlen(before[j]), bad_len = strlen(bad[i]);
      memcpy(text, before[j], before_len);
      memcpy(text + before_len, bad[i], bad_len);
      memcpy(text + before_len + bad_len, "tail", 4);
      size_t bad_at = 999;
      assert_false(utf8_valid((struct str){text, before_len + bad_len + 4}, &bad_at));
      assert_int_equal(bad_at, before_len);
      assert_false(utf8_valid((struct str){text, before_len + bad_len}, NULL));
    }
  }
}

static void every_code_point_is_accepted_and_no_surrogate(void **state) {
  (void)state;
  for (unsigned point = 0x80; point <= 0x110000; point++) {
    char text[4];
    size_t len;
    if (point < 0x800) {
      text[0] = (char)(0xc0 | point >> 6);
      len = 2;
    } else if (point < 0x10000) {
      text[0] = (char)(0xe0 | point >> 12);
      len = 3;
    } else {
      text[0] = (char)(0xf0 | point >> 18);
      len = 4;
    }
    for (size_t i = 1; i < len; i++) text[i] = (char)(0x80 | (point >> 6 * (len - 1 - i) & 0x3f));
    bool surrogate = point >= 0xd800 && point <= 0xdfff;
    bool expected = !surrogate && point < 0x110000;
    if (utf8_valid((struct str){text, len}, NULL) != expected) fail_msg("U+%04X", point);
  }
}

static void clamping_keeps_characters_whole(void **state) {
  (void)state;
  struct str text = STR("aé€😀"); // 1, 2, 3 and 4 bytes
  const size_t expected[] = {0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10, 10};
  for (size_t max = 0; max < sizeof(expected) / sizeof(expected[0]); max++) {
    struct str clamped = utf8_clamp(text, max);
    assert_int_equal(clamped.len, expected[max]);
    assert_ptr_equal(clamped.data, text.data);
    assert_true(utf8_valid(clamped, NULL));
  }
}

static void mending_replaces_only_what_does_not_belong(void **state) {
  (void)state;
  char text[] = "ok é \xff\xc3( \xed\xa0\x80 €";
  utf8_mend(text, sizeof(text) - 1);
  assert_string_equal(text, "ok é ??"
                            "( ??"
                            "? €");
  char cut[] = "a\xf0\x9f\x98";
  utf8_mend(cut, 4);
  assert_string_equal(cut, "a??"
                           "?");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(well_formed_sequences_are_accepted),
      cmocka_unit_test(malformed_sequences_are_refused_where_they_start),
      cmocka_unit_test(every_code_point_is_accepted_and_no_surrogate),
      cmocka_unit_test(clamping_keeps_characters_whole),
      cmocka_unit_test(mending_replaces_only_what_does_not_belong),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
