// SPDX-License-Identifier: Apache-2.0
#include "mock/json_path.h"
#include "mock/test_mock.h"

static bool collect(void *ctx, const json_t *value) {
  json_array_append(ctx, (json_t *)(uintptr_t)value);
  return true;
}

/// All values that the path leads to, as the text of an array. The path is taken as it is; the document is json_of's.
static void check(const char *path_text, const char *document_text, const char *expected) {
  struct json_path *path = NULL;
  struct err err = {0};
  if (!json_path_new(str_c(path_text), &path, &err)) fail_msg("%s: %s", path_text, err.msg);
  json_t *document = json_of(document_text), *found = json_array();
  json_path_visit(path, document, collect, found);
  AUTO(mem_auto_free) char *text = json_dumps(found, JSON_COMPACT);
  for (char *at = text; (at = strchr(at, '"'));) *at = '\'';
  if (strcmp(text, expected)) fail_msg("%s of %s: %s", path_text, document_text, text);
  json_decref(found);
  json_decref(document);
  json_path_free(path);
}

static void members_are_named_with_a_dot_or_in_brackets(void **state) {
  (void)state;
  check("$", "{'a':1}", "[{'a':1}]");
  check("$", "7", "[7]");
  check("$.a", "{'a':1}", "[1]");
  check("$.a.b", "{'a':{'b':[]}}", "[[]]");
  check("$['a']", "{'a':1}", "[1]");
  check("$[\"a\"]", "{'a':1}", "[1]");
  check("$['a']['b'].c", "{'a':{'b':{'c':null}}}", "[null]");
  check("$._x1", "{'_x1':true}", "[true]");
  check("$.größe", "{'größe':2}", "[2]");
  check("$['a b.c[0]']", "{'a b.c[0]':3}", "[3]");
  check("$['']", "{'':4}", "[4]");
  check("$['1']", "{'1':5}", "[5]");
}

static void items_are_counted_from_either_end(void **state) {
  (void)state;
  check("$[0]", "[1,2,3]", "[1]");
  check("$[2]", "[1,2,3]", "[3]");
  check("$[-1]", "[1,2,3]", "[3]");
  check("$[-3]", "[1,2,3]", "[1]");
  check("$.a[1].b", "{'a':[0,{'b':'x'}]}", "['x']");
  check("$[1][-2]", "[0,[1,2,3]]", "[2]");
}

static void a_star_is_every_item_or_member(void **state) {
  (void)state;
  check("$[*]", "[1,2]", "[1,2]");
  check("$.*", "[1,2]", "[1,2]");
  check("$[*]", "{'b':1,'a':2}", "[1,2]");
  check("$.a[*].id", "{'a':[{'id':1},{'x':9},{'id':2},3]}", "[1,2]");
  check("$[*][*]", "[[1,2],{'a':3},4]", "[1,2,3]");
  check("$.*.*", "{'a':{'b':1},'c':[2]}", "[1,2]");
}

static void a_path_that_leads_nowhere_gives_nothing(void **state) {
  (void)state;
  static const struct {
    const char *path, *document;
  } cases[] = {
      {"$.b", "{'a':1}"},
      {"$.a.b", "{'a':1}"},
      {"$.a", "[1]"},
      {"$.a", "7"},
      {"$[0]", "[]"},
      {"$[3]", "[1,2,3]"},
      {"$[-4]", "[1,2,3]"},
      {"$[0]", "{'0':1}"},
      {"$['0']", "[1]"},
      {"$[*]", "7"},
      {"$[*]", "{}"},
      {"$.A", "{'a':1}"},
      {"$[0]", "'text'"},
      {"$[9223372036854775807]", "[1]"},
      {"$[-9223372036854775808]", "[1]"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) check(cases[i].path, cases[i].document, "[]");
}

static void quoted_names_may_have_escapes(void **state) {
  (void)state;
  json_t *document =
      json_pack("{si,si,si,si,si,si}", "a'b", 1, "a\"b", 2, "a\\b", 3, "a\n\r\t\b\fb", 4, "a/b", 5, "it's \"it\"", 6);
  static const struct {
    const char *path;
    int expected;
  } cases[] = {
      {"$['a\\'b']", 1}, {"$[\"a'b\"]", 1},  {"$[\"a\\\"b\"]", 2},
      {"$['a\"b']", 2},  {"$['a\\\\b']", 3}, {"$['a\\n\\r\\t\\b\\fb']", 4},
      {"$['a\\/b']", 5}, {"$['a/b']", 5},    {"$['it\\'s \"it\"']", 6},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct json_path *path = NULL;
    struct err err = {0};
    json_t *found = json_array();
    if (!json_path_new(str_c(cases[i].path), &path, &err)) fail_msg("%s: %s", cases[i].path, err.msg);
    json_path_visit(path, document, collect, found);
    assert_int_equal(json_array_size(found), 1);
    assert_int_equal(json_integer_value(json_array_get(found, 0)), cases[i].expected);
    json_decref(found);
    json_path_free(path);
  }
  json_decref(document);
}

#define NAME_EXPECTED   "expected a member's name or * after the dot (other names go into ['…'])."
#define INDEX_EXPECTED  "expected an index, * or a quoted name in the brackets (filters and slices are not known here)."
#define ESCAPE_EXPECTED "expected one of the escapes \\n \\r \\t \\b \\f \\/ \\\\ and the quote."

static void what_is_no_path_is_refused_at_its_byte(void **state) {
  (void)state;
  static const struct {
    const char *path;
    size_t at;
    const char *expected;
  } cases[] = {
      {"", 0, "expected $ at the start."},
      {"a", 0, "expected $ at the start."},
      {" $", 0, "expected $ at the start."},
      {"$a", 1, "expected . or [."},
      {"$.a ", 3, "expected . or [."},
      {"$[0]a", 4, "expected . or [."},
      {"$.", 2, NAME_EXPECTED},
      {"$..a", 2, NAME_EXPECTED},
      {"$.1", 2, NAME_EXPECTED},
      {"$.a.-", 4, NAME_EXPECTED},
      {"$.'a'", 2, NAME_EXPECTED},
      {"$[", 2, INDEX_EXPECTED},
      {"$[]", 2, INDEX_EXPECTED},
      {"$[a]", 2, INDEX_EXPECTED},
      {"$[?@.a]", 2, INDEX_EXPECTED},
      {"$[01]", 2, INDEX_EXPECTED},
      {"$[-0]", 2, INDEX_EXPECTED},
      {"$[-]", 2, INDEX_EXPECTED},
      {"$[1-2]", 2, INDEX_EXPECTED},
      {"$[ 0]", 2, INDEX_EXPECTED},
      {"$[+1]", 2, INDEX_EXPECTED},
      {"$[9223372036854775808]", 2, INDEX_EXPECTED},
      {"$[0", 3, "expected ]."},
      {"$[0:1]", 3, "expected ]."},
      {"$[0,1]", 3, "expected ]."},
      {"$[*", 3, "expected ]."},
      {"$['a'", 5, "expected ]."},
      {"$['a','b']", 5, "expected ]."},
      {"$['a", 4, "expected the end of the quoted name."},
      {"$['a\"]", 6, "expected the end of the quoted name."},
      {"$['\\u0041']", 4, ESCAPE_EXPECTED},
      {"$['\\\"']", 4, ESCAPE_EXPECTED},
      {"$['\\", 3, ESCAPE_EXPECTED},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct json_path *path = NULL;
    struct err err = {0};
    if (json_path_new(str_c(cases[i].path), &path, &err)) fail_msg("%s is taken", cases[i].path);
    assert_null(path);
    assert_int_equal(err.code, ERR_BAD_REQUEST);
    char message[240];
    snprintf(message, sizeof message, "The JSON path is not understood at byte %zu: %s", cases[i].at,
             cases[i].expected);
    assert_string_equal(err.msg, message);
  }
}

static void a_path_has_at_most_64_steps(void **state) {
  (void)state;
  char text[2 + 2 * (JSON_PATH_SEGMENTS_MAX + 1)] = "$";
  for (int i = 0; i < JSON_PATH_SEGMENTS_MAX; i++) memcpy(text + 1 + 2 * i, ".a", 3);
  struct json_path *path = NULL;
  struct err err = {0};
  assert_true(json_path_new(str_c(text), &path, &err));
  assert_text(json_path_text(path), text);
  json_path_free(path);
  path = NULL;
  memcpy(text + 1 + 2 * JSON_PATH_SEGMENTS_MAX, ".a", 3);
  assert_false(json_path_new(str_c(text), &path, &err));
  assert_null(path);
  assert_string_equal(err.msg, "The JSON path is not understood at byte 129: expected at most 64 steps.");
}

static bool stop_at_two(void *ctx, const json_t *value) {
  json_array_append(ctx, (json_t *)(uintptr_t)value);
  return json_array_size(ctx) < 2;
}

static void a_visitor_may_stop_it(void **state) {
  (void)state;
  struct json_path *path = NULL;
  struct err err = {0};
  assert_true(json_path_new(STR("$[*][*]"), &path, &err));
  json_t *document = json_of("[[1],[2],[3],{'a':4}]"), *found = json_array();
  json_path_visit(path, document, stop_at_two, found);
  assert_int_equal(json_array_size(found), 2);
  json_decref(found);
  json_decref(document);
  json_path_free(path);
}

static void its_text_and_memory_are_known(void **state) {
  (void)state;
  struct json_path *small = NULL, *large = NULL;
  struct err err = {0};
  assert_true(json_path_new(STR("$"), &small, &err));
  assert_true(json_path_new(STR("$['abcdefgh']"), &large, &err));
  assert_text(json_path_text(large), "$['abcdefgh']");
  assert_int_equal(json_path_bytes(large) - json_path_bytes(small), 2 * 12);
  json_path_free(small);
  json_path_free(large);
  json_path_free(NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(members_are_named_with_a_dot_or_in_brackets),
      cmocka_unit_test(items_are_counted_from_either_end),
      cmocka_unit_test(a_star_is_every_item_or_member),
      cmocka_unit_test(a_path_that_leads_nowhere_gives_nothing),
      cmocka_unit_test(quoted_names_may_have_escapes),
      cmocka_unit_test(what_is_no_path_is_refused_at_its_byte),
      cmocka_unit_test(a_path_has_at_most_64_steps),
      cmocka_unit_test(a_visitor_may_stop_it),
      cmocka_unit_test(its_text_and_memory_are_known),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
