// SPDX-License-Identifier: Apache-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
// cmocka.h uses what stands above.
#include <cmocka.h>

#include "base/hash.h"

// Appendix A of the SipHash paper: key 00 01 … 0f, message 00 01 … 0e.
static void agrees_with_the_published_vector(void **state) {
  (void)state;
  uint8_t key[16];
  char message[15];
  for (size_t i = 0; i < sizeof(key); i++) key[i] = (uint8_t)i;
  for (size_t i = 0; i < sizeof(message); i++) message[i] = (char)i;
  assert_int_equal(hash_short(key, (struct str){message, sizeof(message)}), 0xa129ca6149be45e5U);
}

static void absent_text_hashes_like_the_empty_one(void **state) {
  (void)state;
  const uint8_t key[16] = {1};
  assert_int_equal(hash_short(key, STR_NONE), hash_short(key, STR("")));
}

static void another_key_gives_another_hash(void **state) {
  (void)state;
  const uint8_t key[16] = {1};
  const uint8_t other[16] = {2};
  assert_int_not_equal(hash_short(key, STR("crm:customer/42")), hash_short(other, STR("crm:customer/42")));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(agrees_with_the_published_vector),
      cmocka_unit_test(absent_text_hashes_like_the_empty_one),
      cmocka_unit_test(another_key_gives_another_hash),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
