// SPDX-License-Identifier: Apache-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
// cmocka.h uses what stands above.
#include <cmocka.h>
#include <string.h>

#include "base/hash.h"

static void digests_agree_with_fips_180(void **state) {
  (void)state;
  const struct {
    struct str text;
    const char *digest;
  } cases[] = {
      {STR(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
      {STR("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
      {STR("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
       "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
  };
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    struct digest digest = hash_of(cases[i].text);
    assert_string_equal(digest_format(&digest).text, cases[i].digest);
  }
  struct digest absent = hash_of(STR_NONE), empty = hash_of(STR(""));
  assert_true(digest_eq(&absent, &empty));
}

static void pieces_make_the_digest_of_the_whole(void **state) {
  (void)state;
  char text[1000];
  memset(text, 'a', sizeof(text));
  struct digest whole = hash_of((struct str){text, sizeof(text)});
  for (size_t step = 1; step < 200; step += 13) {
    struct hash hash;
    hash_init(&hash);
    for (size_t at = 0; at < sizeof(text); at += step)
      hash_update(&hash, text + at, sizeof(text) - at < step ? sizeof(text) - at : step);
    struct digest digest = hash_final(&hash);
    assert_true(digest_eq(&digest, &whole));
  }
}

static void a_field_is_its_length_and_its_bytes(void **state) {
  (void)state;
  struct hash hash;
  hash_init(&hash);
  hash_field(&hash, STR("abc"));
  hash_field(&hash, STR_NONE);
  struct digest fields = hash_final(&hash);
  struct digest bytes = hash_of(STR("\0\0\0\0\0\0\0\3abc\0\0\0\0\0\0\0\0"));
  assert_string_equal(digest_format(&fields).text, digest_format(&bytes).text);
}

static struct digest digest_of_fields(struct str a, struct str b) {
  struct hash hash;
  hash_init(&hash);
  hash_field(&hash, a);
  hash_field(&hash, b);
  return hash_final(&hash);
}

static void neighbouring_fields_are_not_confused(void **state) {
  (void)state;
  struct digest a = digest_of_fields(STR("ab"), STR("c")), b = digest_of_fields(STR("a"), STR("bc"));
  assert_false(digest_eq(&a, &b));
}

static void text_form_is_read_back(void **state) {
  (void)state;
  struct digest digest = hash_of(STR("abc")), read = {{0}};
  struct digest_text text = digest_format(&digest);
  assert_true(digest_parse(str_c(text.text), &read));
  assert_true(digest_eq(&read, &digest));
}

static void any_other_form_is_refused(void **state) {
  (void)state;
  const char *bad[] = {
      "",
      "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015a",
      "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad0",
      "BA7816BF8F01CFEA414140DE5DAE2223B00361A396177A9CB410FF61F20015AD",
      "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ag",
      "0xba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015",
  };
  for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
    struct digest digest = {{7}};
    assert_false(digest_parse(str_c(bad[i]), &digest));
    assert_int_equal(digest.bytes[0], 7);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(digests_agree_with_fips_180),
      cmocka_unit_test(pieces_make_the_digest_of_the_whole),
      cmocka_unit_test(a_field_is_its_length_and_its_bytes),
      cmocka_unit_test(neighbouring_fields_are_not_confused),
      cmocka_unit_test(text_form_is_read_back),
      cmocka_unit_test(any_other_form_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
