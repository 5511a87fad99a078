// SPDX-License-Identifier: Apache-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
// cmocka.h uses what stands above.
#include <cmocka.h>

#include "base/json.h"
#include "base/json_writer.h"
#include "base/mem.h"

static void a_document_of_every_kind_of_value(void **state) {
  (void)state;
  AUTO(buf_done) struct buf buf;
  buf_init(&buf, 4096);
  struct json_writer w;
  jw_init(&w, &buf);
  jw_object(&w, NULL);
  jw_str(&w, "text", STR("a\"b"));
  jw_c(&w, "c", "é");
  jw_int(&w, "int", -7);
  jw_real(&w, "real", 0.5);
  jw_bool(&w, "yes", true);
  jw_bool(&w, "no", false);
  jw_null(&w, "null");
  jw_raw(&w, "raw", STR("{\"x\":[1,2]}"));
  jw_array(&w, "list");
  jw_int(&w, NULL, 1);
  jw_object(&w, NULL);
  jw_object_end(&w);
  jw_array(&w, NULL);
  jw_array_end(&w);
  jw_c(&w, NULL, "");
  jw_array_end(&w);
  jw_key(&w, STR("own \n name"));
  jw_object(&w, NULL);
  jw_key(&w, STR("a"));
  jw_int(&w, NULL, 1);
  jw_key(&w, STR("b"));
  jw_array(&w, NULL);
  jw_array_end(&w);
  jw_c(&w, "c", "d");
  jw_object_end(&w);
  jw_int(&w, "last", 0);
  jw_object_end(&w);
  assert_int_equal(w.depth, 0);
  assert_string_equal(
      buf.data, "{\"text\":\"a\\\"b\",\"c\":\"é\",\"int\":-7,\"real\":0.5,\"yes\":true,\"no\":false,\"null\":null,"
                "\"raw\":{\"x\":[1,2]},\"list\":[1,{},[],\"\"],\"own \\n name\":{\"a\":1,\"b\":[],\"c\":\"d\"},"
                "\"last\":0}");
}

static void a_document_may_be_a_single_value(void **state) {
  (void)state;
  AUTO(buf_done) struct buf buf;
  buf_init(&buf, 4096);
  struct json_writer w;
  jw_init(&w, &buf);
  jw_str(&w, NULL, STR_NONE);
  assert_string_equal(buf.data, "\"\"");
}

static void absent_raw_text_is_null(void **state) {
  (void)state;
  AUTO(buf_done) struct buf buf;
  buf_init(&buf, 4096);
  struct json_writer w;
  jw_init(&w, &buf);
  jw_array(&w, NULL);
  jw_raw(&w, NULL, STR_NONE);
  jw_raw(&w, NULL, STR(""));
  jw_array_end(&w);
  assert_string_equal(buf.data, "[null,null]");
}

static void integers_of_every_size(void **state) {
  (void)state;
  AUTO(buf_done) struct buf buf;
  buf_init(&buf, 4096);
  struct json_writer w;
  jw_init(&w, &buf);
  jw_array(&w, NULL);
  const int64_t values[] = {0, 9, 10, -1, 1234567890, INT64_MAX, INT64_MIN};
  for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) jw_int(&w, NULL, values[i]);
  jw_array_end(&w);
  assert_string_equal(buf.data, "[0,9,10,-1,1234567890,9223372036854775807,-9223372036854775808]");
}

static void every_byte_is_escaped_as_it_must_be_at_every_position(void **state) {
  (void)state;
  for (unsigned c = 1; c < 0x80; c++) {
    for (size_t at = 0; at < 20; at++) {
      char text[21] = "abcdefghijklmnopqrst";
      text[at] = (char)c;
      AUTO(buf_done) struct buf buf;
      buf_init(&buf, 4096);
      json_quote(&buf, (struct str){text, 20});
      AUTO(json_auto_decref) json_t *json = NULL;
      struct err err = {0};
      if (!json_read(buf_str(&buf), &json, &err)) fail_msg("byte %u at %zu: %s", c, at, err.msg);
      assert_true(str_eq(json_str(json), (struct str){text, 20}));
      bool escaped = c < 0x20 || c == '"' || c == '\\';
      assert_int_equal(buf.len > 22, escaped);
    }
  }
}

static void text_beyond_ascii_is_left_alone(void **state) {
  (void)state;
  AUTO(buf_done) struct buf buf;
  buf_init(&buf, 4096);
  json_quote(&buf, STR("äöüß€😀\x7f\xc2\x80\xe2\x80\xa8ÿÿÿÿÿÿÿÿ"));
  assert_string_equal(buf.data, "\"äöüß€😀\x7f\xc2\x80\xe2\x80\xa8ÿÿÿÿÿÿÿÿ\"");
  buf_clear(&buf);
  json_quote(&buf, STR("\0\x1f\"\\"));
  assert_string_equal(buf.data, "\"\\u0000\\u001f\\\"\\\\\"");
}

static void what_does_not_fit_shows_in_the_buffer(void **state) {
  (void)state;
  AUTO(buf_done) struct buf buf;
  buf_init(&buf, 12);
  struct json_writer w;
  jw_init(&w, &buf);
  jw_object(&w, NULL);
  jw_c(&w, "a", "12345");
  jw_object_end(&w);
  assert_true(buf.over);
  assert_string_equal(buf.data, "{\"a\":\"12345\"");
}

static void deep_nesting_is_written(void **state) {
  (void)state;
  AUTO(buf_done) struct buf buf;
  buf_init(&buf, 4096);
  struct json_writer w;
  jw_init(&w, &buf);
  for (int i = 0; i < 100; i++) {
    jw_array(&w, NULL);
    jw_object(&w, NULL);
    jw_key(&w, STR("a"));
  }
  jw_int(&w, NULL, 1);
  for (int i = 0; i < 100; i++) {
    jw_object_end(&w);
    jw_array_end(&w);
  }
  assert_int_equal(buf.len, 100 * strlen("[{\"a\":}]") + 1);
  assert_memory_equal(buf.data + buf.len - 6, "}]}]}]", 6);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_document_of_every_kind_of_value),
      cmocka_unit_test(a_document_may_be_a_single_value),
      cmocka_unit_test(absent_raw_text_is_null),
      cmocka_unit_test(integers_of_every_size),
      cmocka_unit_test(every_byte_is_escaped_as_it_must_be_at_every_position),
      cmocka_unit_test(text_beyond_ascii_is_left_alone),
      cmocka_unit_test(what_does_not_fit_shows_in_the_buffer),
      cmocka_unit_test(deep_nesting_is_written),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
