// SPDX-License-Identifier: Apache-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

// cmocka.h wants what stands above.
// clang-format off
#include <cmocka.h>
// clang-format on

#include "api/page.h"
#include "base/secret.h"

static const uint8_t key[32] = {1, 2, 3};
static const uint8_t position[16] = {0xff, 0, 1, 0x80, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 0x7f};

static int setup(void **state) {
  (void)state;
  secret_setup();
  return 0;
}

static void a_cursor_gives_back_its_position(void **state) {
  (void)state;
  char text[CURSOR_TEXT_MAX];
  uint8_t read[16];
  cursor_write(key, STR("runs"), position, text);
  assert_int_equal(strlen(text), 43);
  assert_true(cursor_read(key, STR("runs"), str_c(text), read));
  assert_memory_equal(read, position, sizeof position);
}

static void a_cursor_of_another_scope_or_engine_is_refused(void **state) {
  (void)state;
  char text[CURSOR_TEXT_MAX];
  uint8_t read[16], other_key[32] = {1, 2, 4};
  cursor_write(key, STR("runs"), position, text);
  assert_false(cursor_read(key, STR("run"), str_c(text), read));
  assert_false(cursor_read(key, STR("runs "), str_c(text), read));
  assert_false(cursor_read(key, STR(""), str_c(text), read));
  assert_false(cursor_read(other_key, STR("runs"), str_c(text), read));
}

static void a_cursor_with_any_character_changed_is_refused(void **state) {
  (void)state;
  char text[CURSOR_TEXT_MAX];
  uint8_t read[16];
  cursor_write(key, STR("runs"), position, text);
  for (size_t i = 0; text[i]; i++) {
    char kept = text[i];
    text[i] = kept == 'A' ? 'B' : 'A';
    assert_false(cursor_read(key, STR("runs"), str_c(text), read));
    text[i] = kept;
  }
  assert_true(cursor_read(key, STR("runs"), str_c(text), read));
}

static void a_text_of_another_length_is_refused(void **state) {
  (void)state;
  char text[CURSOR_TEXT_MAX + 8] = {0};
  uint8_t read[16] = {42};
  cursor_write(key, STR("runs"), position, text);
  for (size_t len = 0; len < strlen(text); len++)
    assert_false(cursor_read(key, STR("runs"), (struct str){text, len}, read));
  text[43] = 'A';
  assert_false(cursor_read(key, STR("runs"), str_c(text), read));
  text[43] = '=';
  assert_false(cursor_read(key, STR("runs"), str_c(text), read));
  assert_int_equal(read[0], 42);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_cursor_gives_back_its_position),
      cmocka_unit_test(a_cursor_of_another_scope_or_engine_is_refused),
      cmocka_unit_test(a_cursor_with_any_character_changed_is_refused),
      cmocka_unit_test(a_text_of_another_length_is_refused),
  };
  return cmocka_run_group_tests(tests, setup, NULL);
}
