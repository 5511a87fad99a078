// SPDX-License-Identifier: Apache-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
// cmocka.h uses what stands above.
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"

static json_t *read_good(struct str text) {
  json_t *json = NULL;
  struct err err = {0};
  if (!json_read(text, &json, &err)) fail_msg("refused %.*s: %s", STR_ARG(text), err.msg);
  return json;
}

static struct err read_bad(struct str text) {
  json_t untouched;
  json_t *json = &untouched;
  struct err err = {0};
  if (json_read(text, &json, &err)) fail_msg("accepted %.*s", STR_ARG(text));
  assert_ptr_equal(json, &untouched);
  assert_int_equal(err.code, ERR_BAD_REQUEST);
  return err;
}

static void assert_refused(struct str text, const char *place, const char *msg) {
  struct err err = read_bad(text);
  assert_string_equal(err.msg, msg);
  assert_string_equal(err.place, place);
}

static void documents_of_every_kind_are_read(void **state) {
  (void)state;
  const struct {
    const char *text;
    json_type type;
  } cases[] = {
      {"{}", JSON_OBJECT},
      {" [ ] ", JSON_ARRAY},
      {"\"a\"", JSON_STRING},
      {"1", JSON_INTEGER},
      {"-0", JSON_INTEGER},
      {"1.0", JSON_REAL},
      {"1e3", JSON_REAL},
      {"true", JSON_TRUE},
      {"\r\n\tfalse\n", JSON_FALSE},
      {"null", JSON_NULL},
      {"1e-400", JSON_REAL},
      {"-9223372036854775808", JSON_INTEGER},
      {"9223372036854775807", JSON_INTEGER},
  };
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    AUTO(json_auto_decref) json_t *json = read_good(str_c(cases[i].text));
    assert_int_equal(json_typeof(json), cases[i].type);
  }
}

static void text_is_not_expected_to_end_with_nul(void **state) {
  (void)state;
  AUTO(json_auto_decref) json_t *json = read_good((struct str){"[1]]", 3});
  assert_int_equal(json_array_size(json), 1);
}

static void an_empty_text_is_refused(void **state) {
  (void)state;
  assert_refused(STR_NONE, "line 1, column 1", "The text is empty; send one JSON document.");
  assert_refused(STR(""), "line 1, column 1", "The text is empty; send one JSON document.");
  assert_refused(STR(" \n "), "line 2, column 2", "The text is empty; send one JSON document.");
}

static void anything_behind_the_document_is_refused(void **state) {
  (void)state;
  const char *msg = "There is text behind the JSON document; send exactly one document.";
  assert_refused(STR("{} {}"), "line 1, column 4", msg);
  assert_refused(STR("{\"a\":1}}"), "line 1, column 8", msg);
  assert_refused(STR("[1]\n\n ,"), "line 3, column 2", msg);
  assert_refused(STR("1 2"), "line 1, column 3", msg);
  assert_refused(STR("{}\0"), "line 1, column 3", msg);
  assert_refused(STR("null // note"), "line 1, column 6", msg);
}

static void a_repeated_member_is_named_at_any_depth(void **state) {
  (void)state;
  assert_refused(STR("{\"a\":1,\"b\":2,\"a\":3}"), "line 1, column 14",
                 "Member 'a' stands twice in one object; keep one.");
  assert_refused(STR("{\"steps\":[{\"key\":1},\n{\"key\":1,\"input\":{\"x\":1,\"y\":[],\"x\":2}}]}"),
                 "line 2, column 32", "Member 'x' stands twice in one object; keep one.");
  // The same name in two spellings.
  assert_refused(STR("{\"a\":1,\"\\u0061\":2}"), "line 1, column 8",
                 "Member 'a' stands twice in one object; keep one.");
  assert_refused(STR("{\"\":1,\"\":2}"), "line 1, column 7", "Member '' stands twice in one object; keep one.");
  AUTO(json_auto_decref) json_t *json = read_good(STR("{\"a\":{\"a\":{\"a\":1}},\"A\":2}"));
  assert_int_equal(json_object_size(json), 2);
}

static void a_long_repeated_member_is_named_in_part(void **state) {
  (void)state;
  assert_refused(
      STR("{\"0123456789012345678901234567890123456789012345678901234567890123456789\":1,"
          "\"0123456789012345678901234567890123456789012345678901234567890123456789\":1}"),
      "line 1, column 77",
      "Member '0123456789012345678901234567890123456789012345678901234567890123…' stands twice in one object; "
      "keep one.");
}

static struct str nest(char text[2048], unsigned levels, const char *open, const char *close) {
  size_t len = 0;
  for (unsigned i = 0; i < levels; i++) len += (size_t)snprintf(text + len, 2048 - len, "%s", open);
  len += (size_t)snprintf(text + len, 2048 - len, "1");
  for (unsigned i = 0; i < levels; i++) len += (size_t)snprintf(text + len, 2048 - len, "%s", close);
  return (struct str){text, len};
}

static void nesting_is_limited(void **state) {
  (void)state;
  char text[2048];
  const char *msg = "The document nests deeper than 64 levels; make it flatter.";
  json_decref(read_good(nest(text, 64, "[", "]")));
  json_decref(read_good(nest(text, 64, "{\"[{\":", "}")));
  assert_refused(nest(text, 65, "[", "]"), "line 1, column 65", msg);
  assert_refused(nest(text, 65, "{\"a\":", "}"), "line 1, column 321", msg);
  // Brackets in strings, and closed ones, are not levels.
  json_decref(read_good(STR("[\"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[\\\"[[\"]")));
  AUTO(buf_done) struct buf flat;
  buf_init(&flat, 4096);
  buf_add_c(&flat, "[0");
  for (int i = 0; i < 500; i++) buf_add_c(&flat, ",[{}]");
  buf_add_c(&flat, "]");
  json_decref(read_good(buf_str(&flat)));
}

static void endless_nesting_is_refused_before_it_is_parsed(void **state) {
  (void)state;
  AUTO(buf_done) struct buf text;
  buf_init(&text, 1 << 20);
  for (int i = 0; i < 1 << 20; i++) buf_add_char(&text, '[');
  struct err err = read_bad(buf_str(&text));
  assert_string_equal(err.place, "line 1, column 65");
}

static void malformed_utf8_is_refused_where_it_is(void **state) {
  (void)state;
  assert_refused(STR("{\"a\":\"x\xff\"}"), "line 1, column 8",
                 "The text is not UTF-8: byte 0xff does not belong there; send UTF-8.");
  assert_refused(STR("[\"é\",\n\"\xed\xa0\x80\"]"), "line 2, column 2",
                 "The text is not UTF-8: byte 0xed does not belong there; send UTF-8.");
  assert_refused(STR("[\"\xc0\x80\"]"), "line 1, column 3",
                 "The text is not UTF-8: byte 0xc0 does not belong there; send UTF-8.");
  assert_refused(STR("[1]\xfe"), "line 1, column 4",
                 "The text is not UTF-8: byte 0xfe does not belong there; send UTF-8.");
  // What comes first is reported first.
  assert_refused(STR("[1 2,\"\xff\"]"), "line 1, column 4", "Expected ',' or ']' behind a value, found '2'.");
}

static void nul_is_refused_in_either_form(void **state) {
  (void)state;
  const char *msg = "A string holds the NUL character (\\u0000); leave it out.";
  assert_refused(STR("{\"a\":\"b\\u0000\"}"), "line 1, column 8", msg);
  assert_refused(STR("{\"a\\u0000\":1}"), "line 1, column 4", msg);
  assert_refused(STR("[\"a\0\"]"), "line 1, column 4",
                 "A string holds the control byte 0x00 as it is; write it as the escape \\u0000.");
  json_decref(read_good(STR("[\"\\\\u0000\"]")));
}

static void numbers_out_of_range_are_refused(void **state) {
  (void)state;
  const char *integer = "The integer does not fit into 64 bits; send it as a string.";
  assert_refused(STR("9223372036854775808"), "line 1, column 1", integer);
  assert_refused(STR("{\"n\": -9223372036854775809}"), "line 1, column 7", integer);
  assert_refused(STR("[1,\n100000000000000000000000000]"), "line 2, column 1", integer);
  const char *real = "The number is too large for a double; send it as a string.";
  assert_refused(STR("[1e309]"), "line 1, column 2", real);
  assert_refused(STR("[-1.5E+999 ]"), "line 1, column 2", real);
}

static void faults_of_grammar_are_explained(void **state) {
  (void)state;
  const struct {
    const char *text, *place, *msg;
  } cases[] = {
      {"{", "line 1, column 2", "Expected a member's name in double quotes or '}', found the end of the text."},
      {"[1,\n", "line 2, column 1", "Expected a value behind ',', found the end of the text."},
      {"[1,]", "line 1, column 4", "Expected a value behind ',', found ']'."},
      {"{\"a\":1,}", "line 1, column 8", "Expected a member's name in double quotes behind ',', found '}'."},
      {"{a:1}", "line 1, column 2", "Expected a member's name in double quotes or '}', found 'a'."},
      {"{'a':1}", "line 1, column 2", "Expected a member's name in double quotes or '}', found '''."},
      {"{\"a\" 1}", "line 1, column 6", "Expected ':' behind the member's name, found '1'."},
      {"{\"a\":}", "line 1, column 6", "Expected a value behind ':', found '}'."},
      {"{\"a\":1 \"b\":2}", "line 1, column 8", "Expected ',' or '}' behind a member, found '\"'."},
      {"[1 2]", "line 1, column 4", "Expected ',' or ']' behind a value, found '2'."},
      {"[1}", "line 1, column 3", "Expected ',' or ']' behind a value, found '}'."},
      {"}", "line 1, column 1", "Expected a JSON document, found '}'."},
      {"hello", "line 1, column 1", "Expected a JSON document, found 'hello'."},
      {"[NaN]", "line 1, column 2", "Expected a value or ']', found 'NaN'."},
      {"[True]", "line 1, column 2", "Expected a value or ']', found 'True'."},
      {"[nul]", "line 1, column 2", "Expected a value, found 'nul'."},
      {"[truex]", "line 1, column 2", "Expected a value, found 'truex'."},
      {"[+1]", "line 1, column 2", "Expected a value or ']', found '+'."},
      {"[.5]", "line 1, column 2", "Expected a value or ']', found '.'."},
      {"[-]", "line 1, column 3", "Expected a digit, found ']'."},
      {"[1.]", "line 1, column 4", "Expected a digit behind the decimal point, found ']'."},
      {"[1e+]", "line 1, column 5", "Expected a digit in the exponent, found ']'."},
      {"[012]", "line 1, column 2", "A number starts with 0; drop the leading zeros."},
      {"[\x01]", "line 1, column 2", "Expected a value or ']', found the control byte 0x01."},
      {"[€]", "line 1, column 2", "Expected a value or ']', found '€'."},
      {"[\"abc", "line 1, column 2", "A string starts here and is not closed; add the end quote."},
      {"[\"abc\\", "line 1, column 6",
       "A backslash in a string starts no escape that JSON has; write \\\\ for the backslash itself."},
      {"[\"a\\x41\"]", "line 1, column 4",
       "A backslash in a string starts no escape that JSON has; write \\\\ for the backslash itself."},
      {"[\"a\nb\"]", "line 1, column 4",
       "A string holds the control byte 0x0a as it is; write it as the escape \\u000a."},
      {"[\"\\u12g4\"]", "line 1, column 3", "Expected four hexadecimal digits behind \\u."},
      {"[\"\\ud800\"]", "line 1, column 3",
       "A string holds half of a surrogate pair (\\ud800); write both halves, high then low."},
      {"[\"\\uDC00\\ud800\"]", "line 1, column 3",
       "A string holds half of a surrogate pair (\\udc00); write both halves, high then low."},
      {"[\"\\ud800\\u0041\"]", "line 1, column 3",
       "A string holds half of a surrogate pair (\\ud800); write both halves, high then low."},
      {"\xef\xbb\xbf{}", "line 1, column 1", "The text starts with a byte order mark; leave it out."},
      {"/* note */ {}", "line 1, column 1", "Expected a JSON document, found '/'."},
  };
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
    assert_refused(str_c(cases[i].text), cases[i].place, cases[i].msg);
}

static void strings_are_decoded(void **state) {
  (void)state;
  AUTO(json_auto_decref)
  json_t *json = read_good(STR("{\"t\":\"a\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\uD83D\\uDE00é\",\"n\":1}"));
  assert_true(str_eq(json_member_str(json, "t"), STR("a\"\\/\b\f\n\r\té😀é")));
  assert_false(str_present(json_member_str(json, "n")));
  assert_false(str_present(json_member_str(json, "absent")));
  assert_false(str_present(json_member_str(json_object_get(json, "n"), "t")));
  assert_false(str_present(json_str(NULL)));
}

static void decref_of_nothing_is_fine(void **state) {
  (void)state;
  AUTO(json_auto_decref) json_t *json = NULL;
  assert_null(json);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(documents_of_every_kind_are_read),
      cmocka_unit_test(text_is_not_expected_to_end_with_nul),
      cmocka_unit_test(an_empty_text_is_refused),
      cmocka_unit_test(anything_behind_the_document_is_refused),
      cmocka_unit_test(a_repeated_member_is_named_at_any_depth),
      cmocka_unit_test(a_long_repeated_member_is_named_in_part),
      cmocka_unit_test(nesting_is_limited),
      cmocka_unit_test(endless_nesting_is_refused_before_it_is_parsed),
      cmocka_unit_test(malformed_utf8_is_refused_where_it_is),
      cmocka_unit_test(nul_is_refused_in_either_form),
      cmocka_unit_test(numbers_out_of_range_are_refused),
      cmocka_unit_test(faults_of_grammar_are_explained),
      cmocka_unit_test(strings_are_decoded),
      cmocka_unit_test(decref_of_nothing_is_fine),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
