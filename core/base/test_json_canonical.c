// SPDX-License-Identifier: Apache-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
// cmocka.h uses what stands above.
#include <cmocka.h>

#include "base/json.h"
#include "base/mem.h"

// Reads `text`, writes its canonical form into `out`.
static void canonical_of(struct str text, struct buf *out) {
  AUTO(json_auto_decref) json_t *json = NULL;
  struct err err = {0};
  if (!json_read(text, &json, &err)) fail_msg("refused %.*s: %s", STR_ARG(text), err.msg);
  if (!json_canonical(json, out, &err)) fail_msg("no canonical form of %.*s: %s", STR_ARG(text), err.msg);
}

static void assert_canonical(struct str text, const char *expected) {
  AUTO(buf_done) struct buf out, again;
  buf_init(&out, 4096);
  buf_init(&again, 4096);
  canonical_of(text, &out);
  assert_string_equal(out.data, expected);
  canonical_of(buf_str(&out), &again);
  assert_string_equal(again.data, expected);
}

// RFC 8785, sections 3.2.2 and 3.2.3.
static void the_example_of_the_rfc(void **state) {
  (void)state;
  assert_canonical(STR("{\n"
                       "  \"numbers\": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],\n"
                       "  \"string\": \"\\u20ac$\\u000F\\u000aA'\\u0042\\u0022\\u005c\\\\\\\"\\/\",\n"
                       "  \"literals\": [null, true, false]\n"
                       "}"),
                   "{\"literals\":[null,true,false],\"numbers\":[333333333.3333333,1e+30,4.5,0.002,1e-27],"
                   "\"string\":\"€$\\u000f\\nA'B\\\"\\\\\\\\\\\"/\"}");
}

// The sorting example of section 3.2.3: by UTF-16 code units U+1F600 comes before U+FB33.
static void members_are_sorted_by_utf16_code_units(void **state) {
  (void)state;
  assert_canonical(STR("{\"\\u20ac\":\"Euro Sign\",\"\\r\":\"Carriage Return\",\"\\ufb33\":\"Hebrew Letter Dalet With "
                       "Dagesh\",\"1\":\"One\",\"\\ud83d\\ude00\":\"Emoji: Grinning Face\",\"\\u0080\":\"Control\","
                       "\"\\u00f6\":\"Latin Small Letter O With Diaeresis\"}"),
                   "{\"\\r\":\"Carriage Return\",\"1\":\"One\",\"\xc2\x80\":\"Control\",\"ö\":\"Latin Small Letter O "
                   "With Diaeresis\",\"€\":\"Euro Sign\",\"😀\":\"Emoji: Grinning Face\",\"\xef\xac\xb3\":\"Hebrew "
                   "Letter Dalet With Dagesh\"}");
  assert_canonical(
      STR("{\"b\":1,\"\":2,\"ab\":3,\"a\":4,\"B\":5,\"\\ue000\":6,\"\\udbff\\udfff\":7,\"\\ud7ff\":8}"),
      "{\"\":2,\"B\":5,\"a\":4,\"ab\":3,\"b\":1,\"\xed\x9f\xbf\":8,\"\xf4\x8f\xbf\xbf\":7,\"\xee\x80\x80\":6}");
}

static void nested_members_are_sorted_and_elements_are_not(void **state) {
  (void)state;
  assert_canonical(STR(" { \"b\" : [ 3 , { \"z\" : { } , \"y\" : [ ] } , 1 ] , \"a\" : { \"d\" : 1 , \"c\" : 2 } } "),
                   "{\"a\":{\"c\":2,\"d\":1},\"b\":[3,{\"y\":[],\"z\":{}},1]}");
}

static void only_needed_escapes_are_written(void **state) {
  (void)state;
  assert_canonical(STR("\"\\b\\t\\n\\f\\r\\u0001\\u001F\\u007f\\u2028<>&\\/\\u0022\""),
                   "\"\\b\\t\\n\\f\\r\\u0001\\u001f\x7f\xe2\x80\xa8<>&/\\\"\"");
}

static void equal_numbers_have_one_form(void **state) {
  (void)state;
  assert_canonical(STR("[1, 1.0, 1e0, 10e-1, -0, -0.0, 0e5, 1e-400, 9007199254740992, -9007199254740992.0]"),
                   "[1,1,1,1,0,0,0,0,9007199254740992,-9007199254740992]");
}

static void integers_that_doubles_do_not_hold_are_refused(void **state) {
  (void)state;
  const char *bad[] = {"9007199254740993",     "-9007199254740993",          "9223372036854775807",
                       "-9223372036854775808", "[{\"a\":9007199254740993}]", "1e20",
                       "-9007199254740994.0",  "999999999999999900000.0"};
  for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
    AUTO(json_auto_decref) json_t *json = NULL;
    AUTO(buf_done) struct buf out;
    buf_init(&out, 4096);
    buf_add_c(&out, "before");
    struct err err = {0};
    assert_true(json_read(str_c(bad[i]), &json, &err));
    assert_false(json_canonical(json, &out, &err));
    assert_int_equal(err.code, ERR_BAD_REQUEST);
    assert_string_equal(out.data, "before");
    assert_false(out.over);
  }
}

static void the_refused_number_is_named(void **state) {
  (void)state;
  AUTO(json_auto_decref) json_t *json = json_integer(-9007199254740993);
  AUTO(buf_done) struct buf out;
  buf_init(&out, 4096);
  struct err err = {0};
  assert_false(json_canonical(json, &out, &err));
  assert_string_equal(err.msg, "The number -9007199254740993 is beyond 9007199254740992 (2^53), where integers are no "
                               "longer exact; send it as a string.");
}

static void what_does_not_fit_is_refused_whole(void **state) {
  (void)state;
  AUTO(json_auto_decref) json_t *json = json_string("12345678");
  struct err err = {0};
  AUTO(buf_done) struct buf exact, small;
  buf_init(&exact, 10);
  assert_true(json_canonical(json, &exact, &err));
  assert_string_equal(exact.data, "\"12345678\"");
  buf_init(&small, 9);
  assert_false(json_canonical(json, &small, &err));
  assert_string_equal(err.msg, "The canonical form of the document is larger than 9 bytes.");
  assert_int_equal(small.len, 0);
  assert_true(small.over);
}

static void built_values_may_not_nest_endlessly_either(void **state) {
  (void)state;
  AUTO(json_auto_decref) json_t *json = json_array();
  for (int i = 1; i < JSON_MAX_DEPTH; i++) {
    json_t *outer = json_array();
    json_array_append_new(outer, json);
    json = outer;
  }
  AUTO(buf_done) struct buf out;
  buf_init(&out, 4096);
  struct err err = {0};
  assert_true(json_canonical(json, &out, &err));
  assert_int_equal(out.len, 2 * JSON_MAX_DEPTH);
  json_t *outer = json_array();
  json_array_append_new(outer, json);
  json = outer;
  assert_false(json_canonical(json, &out, &err));
  assert_string_equal(err.msg, "The document nests deeper than 64 levels; make it flatter.");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_example_of_the_rfc),
      cmocka_unit_test(members_are_sorted_by_utf16_code_units),
      cmocka_unit_test(nested_members_are_sorted_and_elements_are_not),
      cmocka_unit_test(only_needed_escapes_are_written),
      cmocka_unit_test(equal_numbers_have_one_form),
      cmocka_unit_test(integers_that_doubles_do_not_hold_are_refused),
      cmocka_unit_test(the_refused_number_is_named),
      cmocka_unit_test(what_does_not_fit_is_refused_whole),
      cmocka_unit_test(built_values_may_not_nest_endlessly_either),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
