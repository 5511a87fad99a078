// SPDX-License-Identifier: Apache-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
// cmocka.h uses what stands above.
#include <cmocka.h>
#include <string.h>

#include "base/secret.h"

// RFC 4648, section 10, without the padding.
static void base64_agrees_with_the_rfc(void **state) {
  (void)state;
  const struct {
    struct str bytes;
    const char *text;
  } cases[] = {
      {STR(""), ""},           {STR("f"), "Zg"},          {STR("fo"), "Zm8"},          {STR("foo"), "Zm9v"},
      {STR("foob"), "Zm9vYg"}, {STR("fooba"), "Zm9vYmE"}, {STR("foobar"), "Zm9vYmFy"}, {STR("\xfb\xff"), "-_8"},
  };
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    char text[16];
    assert_int_equal(secret_base64_len(cases[i].bytes.len), strlen(cases[i].text));
    secret_base64(cases[i].bytes.data, cases[i].bytes.len, text);
    assert_string_equal(text, cases[i].text);
    char bytes[16];
    size_t len = 99;
    assert_true(secret_unbase64(str_c(text), bytes, sizeof(bytes), &len));
    assert_int_equal(len, cases[i].bytes.len);
    assert_memory_equal(bytes, cases[i].bytes.data, len);
  }
}

static void base64_takes_no_second_spelling(void **state) {
  (void)state;
  const char *bad[] = {
      "Zg==", "Zg=",          // padding
      "Zh",   "Zm9",          // spare bits set
      "Z",    "Zm9vY",        // no whole byte
      "+/8",                  // the other alphabet
      " Zg",  "Zg\n",  "Z g", // blanks
      "Zg.",  "Zé",
  };
  for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
    char bytes[16];
    size_t len = 99;
    if (secret_unbase64(str_c(bad[i]), bytes, sizeof(bytes), &len)) fail_msg("accepted '%s'", bad[i]);
    assert_int_equal(len, 99);
  }
  char bytes[16];
  size_t len = 99;
  assert_false(secret_unbase64(STR("Zg\0"), bytes, sizeof(bytes), &len));
  assert_true(secret_unbase64(STR_NONE, bytes, sizeof(bytes), &len));
  assert_int_equal(len, 0);
}

static void base64_has_64_digits(void **state) {
  (void)state;
  for (size_t at = 0; at < 4; at++) {
    unsigned accepted = 0;
    for (int c = 0; c < 256; c++) {
      char text[] = "AAAA", bytes[3];
      text[at] = (char)c;
      size_t len;
      accepted += secret_unbase64((struct str){text, 4}, bytes, sizeof(bytes), &len);
    }
    assert_int_equal(accepted, 64);
  }
}

static void base64_stays_within_the_cap(void **state) {
  (void)state;
  char bytes[4] = "....";
  size_t len = 99;
  assert_false(secret_unbase64(STR("Zm9v"), bytes, 2, &len));
  assert_int_equal(bytes[2], '.');
  assert_int_equal(len, 99);
  assert_true(secret_unbase64(STR("Zm9v"), bytes, 3, &len));
  assert_int_equal(len, 3);
  assert_int_equal(bytes[3], '.');
}

static void tokens_are_prefix_and_32_random_bytes(void **state) {
  (void)state;
  char a[SECRET_TOKEN_MAX], b[SECRET_TOKEN_MAX];
  secret_token("olv_tok_", a);
  secret_token("olv_tok_", b);
  assert_int_equal(strlen(a), 8 + 43);
  assert_memory_equal(a, "olv_tok_", 8);
  assert_string_not_equal(a, b);
  uint8_t bytes[32];
  size_t len;
  assert_true(secret_unbase64(str_c(a + 8), bytes, sizeof(bytes), &len));
  assert_int_equal(len, 32);
}

static void passwords_match_their_own_hash_only(void **state) {
  (void)state;
  char hash[SECRET_PASSWORD_HASH_MAX], again[SECRET_PASSWORD_HASH_MAX];
  struct err err = {0};
  assert_true(secret_password_hash(STR("correct horse"), hash, &err));
  assert_true(secret_password_hash(STR("correct horse"), again, &err));
  assert_memory_equal(hash, "$argon2id$v=19$m=65536,t=2,p=1$", 31);
  assert_string_not_equal(hash, again);
  assert_true(secret_password_matches(hash, STR("correct horse")));
  assert_false(secret_password_matches(hash, STR("correct horsf")));
  assert_false(secret_password_matches(hash, STR_NONE));
  assert_false(secret_password_matches("", STR("correct horse")));
  assert_false(secret_password_matches("$argon2id$", STR("correct horse")));
}

// HMAC-SHA-256 of "Hi There" under a 20-byte key is RFC 4231's first case; a key padded with zeros is the same key.
static void authentication_codes_agree_with_the_rfc(void **state) {
  (void)state;
  uint8_t key[32] = {0};
  memset(key, 0x0b, 20);
  const uint8_t expected[16] = {0xb0, 0x34, 0x4c, 0x61, 0xd8, 0xdb, 0x38, 0x53,
                                0x5c, 0xa8, 0xaf, 0xce, 0xaf, 0x0b, 0xf1, 0x2b};
  uint8_t mac[16], other[16];
  secret_mac(key, STR("Hi There"), mac);
  assert_memory_equal(mac, expected, 16);
  secret_mac(key, STR("Hi there"), other);
  assert_false(secret_equal(mac, other, 16));
  assert_true(secret_equal(mac, expected, 16));
}

static void wiped_bytes_are_zero(void **state) {
  (void)state;
  char bytes[8] = "secret!";
  const char zero[8] = {0};
  secret_wipe(bytes, sizeof(bytes));
  assert_memory_equal(bytes, zero, 8);
}

static void random_bytes_fill_all_that_is_asked_for(void **state) {
  (void)state;
  uint8_t seen[64] = {0};
  for (int i = 0; i < 64; i++) {
    uint8_t bytes[64];
    secret_random(bytes, sizeof(bytes));
    for (size_t j = 0; j < sizeof(bytes); j++) seen[j] |= bytes[j];
  }
  for (size_t j = 0; j < sizeof(seen); j++) assert_int_equal(seen[j], 0xff);
}

int main(void) {
  secret_setup();
  secret_setup();
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(base64_agrees_with_the_rfc),
      cmocka_unit_test(base64_takes_no_second_spelling),
      cmocka_unit_test(base64_has_64_digits),
      cmocka_unit_test(base64_stays_within_the_cap),
      cmocka_unit_test(tokens_are_prefix_and_32_random_bytes),
      cmocka_unit_test(passwords_match_their_own_hash_only),
      cmocka_unit_test(authentication_codes_agree_with_the_rfc),
      cmocka_unit_test(wiped_bytes_are_zero),
      cmocka_unit_test(random_bytes_fill_all_that_is_asked_for),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
