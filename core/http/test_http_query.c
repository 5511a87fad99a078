// SPDX-License-Identifier: Apache-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
// cmocka.h uses what stands above.
#include <cmocka.h>
#include <stdlib.h>

#include "http/http.h"
#include "http/target.h"

static void assert_text(struct str text, const char *expected) {
  assert_int_equal(text.len, strlen(expected));
  assert_memory_equal(text.data, expected, text.len);
}

// "name=value;" for every parameter.
static void assert_query(const char *query, const char *expected) {
  AUTO(arena_auto_free) struct arena *arena = arena_new();
  const struct http_param *params = NULL;
  size_t count = 0;
  assert_true(http_query_parse(arena, str_c(query), &params, &count));
  AUTO(buf_done) struct buf shown;
  buf_init(&shown, 10000);
  for (size_t i = 0; i < count; i++) {
    buf_addf(&shown, "%.*s=%.*s;", STR_ARG(params[i].name), STR_ARG(params[i].value));
  }
  assert_text(buf_str(&shown), expected);
}

static void assert_malformed(struct str query) {
  AUTO(arena_auto_free) struct arena *arena = arena_new();
  struct http_param untouched = {STR("x"), STR("y")};
  const struct http_param *params = &untouched;
  size_t count = 7;
  assert_false(http_query_parse(arena, query, &params, &count));
  assert_ptr_equal(params, &untouched);
  assert_int_equal(count, 7);
}

static void parameters_come_decoded_in_the_order_sent(void **state) {
  (void)state;
  assert_query(NULL, "");
  assert_query("", "");
  assert_query("a=1", "a=1;");
  assert_query("b=2&a=1&b=3", "b=2;a=1;b=3;");
  assert_query("a", "a=;");
  assert_query("a=", "a=;");
  assert_query("=1", "=1;");
  assert_query("a=b=c", "a=b=c;");
  assert_query("a=one+two%20three%2b", "a=one two three+;");
  assert_query("n%61me=%C3%A9%e2%82%AC", "name=\xc3\xa9\xe2\x82\xac;");
  assert_query("a=%26%3D%25", "a=&=%;");
}

static void what_does_not_decode_cleanly_is_malformed(void **state) {
  (void)state;
  assert_malformed(STR("a=%"));
  assert_malformed(STR("a=%4"));
  assert_malformed(STR("a=%4g"));
  assert_malformed(STR("a=%g4"));
  assert_malformed(STR("%zz=1"));
  assert_malformed(STR("a=%00"));
  assert_malformed(STR("a=1\0"));
  assert_malformed(STR("a=%ff"));
  assert_malformed(STR("a=%c3"));
  assert_malformed(STR("ok=1&a=\xc3("));
  assert_malformed(STR("a=%ed%a0%80")); // a surrogate
}

static void an_empty_parameter_is_malformed(void **state) {
  (void)state;
  assert_malformed(STR("a=1&"));
  assert_malformed(STR("&a=1"));
  assert_malformed(STR("a=1&&b=2"));
  assert_malformed(STR("&"));
}

static void sixty_four_parameters_fit_and_one_more_does_not(void **state) {
  (void)state;
  AUTO(arena_auto_free) struct arena *arena = arena_new();
  AUTO(buf_done) struct buf query;
  buf_init(&query, 1000);
  for (int i = 0; i < 64; i++) buf_add_c(&query, i > 0 ? "&a=1" : "a=1");
  const struct http_param *params = NULL;
  size_t count = 0;
  assert_true(http_query_parse(arena, buf_str(&query), &params, &count));
  assert_int_equal(count, 64);
  buf_add_c(&query, "&b");
  assert_malformed(buf_str(&query));
}

static void a_target_is_split_and_its_path_left_as_sent(void **state) {
  (void)state;
  AUTO(arena_auto_free) struct arena *arena = arena_new();
  static const struct {
    const char *target, *path;
    size_t query_count;
  } CASES[] = {
      {"/a/%2e%2E/b", "/a/%2e%2E/b", 0},
      {"/a?x=1&y=2", "/a", 2},
      {"/?a?b", "/", 1},
      {"*", "*", 0},
      {"http://host:1/a?x=1", "/a", 1},
      {"http://host?x=1", "", 1},
      {"", "", 0},
      {"/http://host/", "/http://host/", 0},
  };
  for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
    struct http_request request = {0};
    target_read(arena, str_c(CASES[i].target), &request);
    assert_text(request.path, CASES[i].path);
    assert_int_equal(request.query_count, CASES[i].query_count);
    assert_false(request.query_malformed);
  }
  struct http_request request = {0};
  target_read(arena, STR("/a?x=%zz"), &request);
  assert_text(request.path, "/a");
  assert_true(request.query_malformed);
  assert_int_equal(request.query_count, 0);
}

static void methods_have_names(void **state) {
  (void)state;
  assert_string_equal(http_method_name(HTTP_GET), "GET");
  assert_string_equal(http_method_name(HTTP_POST), "POST");
  assert_string_equal(http_method_name(HTTP_PUT), "PUT");
  assert_string_equal(http_method_name(HTTP_DELETE), "DELETE");
  assert_string_equal(http_method_name(HTTP_OTHER), "OTHER");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(parameters_come_decoded_in_the_order_sent),
      cmocka_unit_test(what_does_not_decode_cleanly_is_malformed),
      cmocka_unit_test(an_empty_parameter_is_malformed),
      cmocka_unit_test(sixty_four_parameters_fit_and_one_more_does_not),
      cmocka_unit_test(a_target_is_split_and_its_path_left_as_sent),
      cmocka_unit_test(methods_have_names),
  };
  return cmocka_run_group_tests_name("http_query", tests, NULL, NULL);
}
