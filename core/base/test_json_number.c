// SPDX-License-Identifier: Apache-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
// cmocka.h uses what stands above.
#include <cmocka.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_number.h"

// Appendix B of RFC 8785: the bits of a double and how it is printed.
static void numbers_agree_with_the_rfc(void **state) {
  (void)state;
  const struct {
    uint64_t bits;
    const char *text;
  } cases[] = {
      {0x0000000000000000, "0"},
      {0x8000000000000000, "0"},
      {0x0000000000000001, "5e-324"},
      {0x8000000000000001, "-5e-324"},
      {0x7fefffffffffffff, "1.7976931348623157e+308"},
      {0xffefffffffffffff, "-1.7976931348623157e+308"},
      {0x4340000000000000, "9007199254740992"},
      {0xc340000000000000, "-9007199254740992"},
      {0x4430000000000000, "295147905179352830000"},
      {0x44b52d02c7e14af5, "9.999999999999997e+22"},
      {0x44b52d02c7e14af6, "1e+23"},
      {0x44b52d02c7e14af7, "1.0000000000000001e+23"},
      {0x444b1ae4d6e2ef4e, "999999999999999700000"},
      {0x444b1ae4d6e2ef4f, "999999999999999900000"},
      {0x444b1ae4d6e2ef50, "1e+21"},
      {0x3eb0c6f7a0b5ed8c, "9.999999999999997e-7"},
      {0x3eb0c6f7a0b5ed8d, "0.000001"},
      {0x41b3de4355555553, "333333333.3333332"},
      {0x41b3de4355555554, "333333333.33333325"},
      {0x41b3de4355555555, "333333333.3333333"},
      {0x41b3de4355555556, "333333333.3333334"},
      {0x41b3de4355555557, "333333333.33333343"},
      {0xbecbf647612f3696, "-0.0000033333333333333333"},
      {0x43143ff3c1cb0959, "1424953923781206.2"},
  };
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    double value;
    memcpy(&value, &cases[i].bits, sizeof(value));
    char text[JSON_NUMBER_MAX];
    assert_int_equal(json_number(value, text), strlen(cases[i].text));
    assert_string_equal(text, cases[i].text);
  }
}

static void notation_changes_where_ecmascript_changes_it(void **state) {
  (void)state;
  const struct {
    double value;
    const char *text;
  } cases[] = {
      {1, "1"},
      {-1, "-1"},
      {100, "100"},
      {0.1, "0.1"},
      {1.5, "1.5"},
      {123456.789, "123456.789"},
      {-0.001, "-0.001"},
      {1e-7, "1e-7"},
      {1.25e-7, "1.25e-7"},
      {123e-7, "0.0000123"},
      {1e20, "100000000000000000000"},
      {1e22, "1e+22"},
      {1.5e300, "1.5e+300"},
      {9007199254740991, "9007199254740991"},
      {4.5, "4.5"},
      {0.002, "0.002"},
  };
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    char text[JSON_NUMBER_MAX];
    json_number(cases[i].value, text);
    assert_string_equal(text, cases[i].text);
  }
}

// The nearest decimal of 16 digits is below these and reads back as another number; the next one above is right.
static void powers_of_two_are_shortest_on_their_wider_side(void **state) {
  (void)state;
  char text[JSON_NUMBER_MAX];
  json_number(0x1p-44, text);
  assert_string_equal(text, "5.684341886080802e-14");
  json_number(-0x1p-44, text);
  assert_string_equal(text, "-5.684341886080802e-14");
  json_number(0x1p-1022, text);
  assert_string_equal(text, "2.2250738585072014e-308");
}

static void every_number_reads_back_equal(void **state) {
  (void)state;
  uint64_t bits = 88172645463325252U; // xorshift64, Marsaglia 2003
  for (int i = 0; i < 200000; i++) {
    bits ^= bits << 13;
    bits ^= bits >> 7;
    bits ^= bits << 17;
    if ((bits >> 52 & 0x7ff) == 0x7ff) continue;
    double value;
    memcpy(&value, &bits, sizeof(value));
    char text[JSON_NUMBER_MAX];
    assert_in_range(json_number(value, text), 1, JSON_NUMBER_MAX - 1);
    if (strtod(text, NULL) != value) fail_msg("%a became %s", value, text);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(numbers_agree_with_the_rfc),
      cmocka_unit_test(notation_changes_where_ecmascript_changes_it),
      cmocka_unit_test(powers_of_two_are_shortest_on_their_wider_side),
      cmocka_unit_test(every_number_reads_back_equal),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
