// SPDX-License-Identifier: Apache-2.0
#include "mock/matcher.h"
#include "mock/test_mock.h"

// Takes more steps than a mock has, on any text of at least forty times "a" and another letter.
#define HOSTILE      "{'regex':'^(a+)+$'}"
#define HOSTILE_TEXT "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!"

static struct matcher *matcher_of(const char *json_text, size_t *ret_bytes) {
  struct matcher *matcher = NULL;
  struct err err = {0};
  json_t *json = json_of(json_text);
  if (!matcher_new(json, "mocks[0].match", &matcher, ret_bytes, &err))
    fail_msg("%s: %s: %s", json_text, err.place, err.msg);
  json_decref(json);
  return matcher;
}

static enum match match(const char *json_text, const char *text, size_t *ret_steps_left) {
  size_t bytes;
  struct matcher *matcher = matcher_of(json_text, &bytes);
  struct match_input input = {.text = str_c(text), .steps_left = MATCH_STEPS_MAX};
  enum match found = matcher_match(matcher, &input);
  if (ret_steps_left) *ret_steps_left = input.steps_left;
  match_input_done(&input);
  matcher_free(matcher);
  return found;
}

struct matcher_case {
  const char *matcher, *text;
  enum match expected;
};

static void check_all(const struct matcher_case *cases, size_t count) {
  for (size_t i = 0; i < count; i++) {
    enum match found = match(cases[i].matcher, cases[i].text, NULL);
    if (found != cases[i].expected) fail_msg("%s of '%s' is %d", cases[i].matcher, cases[i].text, (int)found);
  }
}
#define CHECK_ALL(cases) check_all(cases, sizeof(cases) / sizeof *(cases))

static void texts_are_compared_by_bytes(void **state) {
  (void)state;
  static const struct matcher_case cases[] = {
      {"{'resource':'ab'}", "ab", MATCH_YES},
      {"{'resource':'ab'}", "ab\n", MATCH_NO},
      {"{'resource':'ab'}", "a", MATCH_NO},
      {"{'prefix':'ab'}", "abc", MATCH_YES},
      {"{'prefix':'ab'}", "ab", MATCH_YES},
      {"{'prefix':'ab'}", "Abc", MATCH_NO},
      {"{'prefix':'ab'}", " abc", MATCH_NO},
      {"{'prefix':'ab'}", "a", MATCH_NO},
      {"{'prefix':'ab'}", "", MATCH_NO},
      {"{'prefix':'é'}", "e\u0301", MATCH_NO},
      {"{'suffix':'yz'}", "xyz", MATCH_YES},
      {"{'suffix':'yz'}", "yz", MATCH_YES},
      {"{'suffix':'yz'}", "xyz\n", MATCH_NO},
      {"{'suffix':'yz'}", "z", MATCH_NO},
      {"{'suffix':'yz'}", "", MATCH_NO},
      {"{'contains':'mm'}", "a mm b", MATCH_YES},
      {"{'contains':'mm'}", "mm", MATCH_YES},
      {"{'contains':'mm'}", "m m", MATCH_NO},
      {"{'contains':'mm'}", "", MATCH_NO},
      {"{'contains':'a\\nb'}", "xa\nby", MATCH_YES},
      {"{'contains':'é'}", "cafe\u0301", MATCH_NO},
  };
  CHECK_ALL(cases);
}

static void patterns_are_those_of_their_kind(void **state) {
  (void)state;
  static const struct matcher_case cases[] = {
      {"{'glob':'kb:*'}", "kb:7", MATCH_YES},    {"{'glob':'kb:*'}", "kb:7\n", MATCH_NO},
      {"{'glob':'kb:**'}", "kb:7\n", MATCH_YES}, {"{'regex':'^a$'}", "a", MATCH_YES},
      {"{'regex':'^a$'}", "a\n", MATCH_NO},      {"{'regex':'b'}", "abc", MATCH_YES},
      {HOSTILE, HOSTILE_TEXT, MATCH_LIMIT},      {HOSTILE, "aaaa", MATCH_YES},
  };
  CHECK_ALL(cases);
}

static void json_is_compared_as_json(void **state) {
  (void)state;
  static const struct matcher_case cases[] = {
      {"{'json':{'equal':{'id':42,'to':['a']}}}", "{ \"to\": [\"a\"], \"id\": 42.0 }\n", MATCH_YES},
      {"{'json':{'equal':{'id':42}}}", "{\"id\":42,\"x\":1}", MATCH_NO},
      {"{'json':{'equal':{'id':42}}}", "{\"id\":\"42\"}", MATCH_NO},
      {"{'json':{'equal':null}}", "null", MATCH_YES},
      {"{'json':{'equal':null}}", "", MATCH_NO},
      {"{'json':{'equal':'a'}}", "\"a\"", MATCH_YES},
      {"{'json':{'equal':'a'}}", "a", MATCH_NO},
      {"{'json':{'equal':{}}}", "{} {}", MATCH_NO},
      {"{'json':{'equal':{'a':1}}}", "{\"a\":1,\"a\":1}", MATCH_NO},
      {"{'json':{'partial':{'id':42}}}", "{\"x\":1,\"id\":42}", MATCH_YES},
      {"{'json':{'partial':{'id':42}}}", "{\"x\":{\"id\":42}}", MATCH_NO},
      {"{'json':{'partial':{'to':['b']}}}", "{\"to\":[\"a\",\"b\"]}", MATCH_YES},
      {"{'json':{'partial':{}}}", "[]", MATCH_NO},
      {"{'json':{'path':{'$.id':42}}}", "{\"id\":42.0}", MATCH_YES},
      {"{'json':{'path':{'$.id':42}}}", "{\"id\":43}", MATCH_NO},
      {"{'json':{'path':{'$.id':42}}}", "{\"no\":42}", MATCH_NO},
      {"{'json':{'path':{'$.id':42}}}", "id=42", MATCH_NO},
      {"{'json':{'path':{'$.items[*].id':2}}}", "{\"items\":[{\"id\":1},{\"id\":2}]}", MATCH_YES},
      {"{'json':{'path':{'$.items[*].id':3}}}", "{\"items\":[{\"id\":1},{\"id\":2}]}", MATCH_NO},
      {"{'json':{'path':{'$.a':1,'$.b':2}}}", "{\"a\":1,\"b\":2}", MATCH_YES},
      {"{'json':{'path':{'$.a':1,'$.b':2}}}", "{\"a\":1,\"b\":3}", MATCH_NO},
      {"{'json':{'path':{'$.a':null}}}", "{\"a\":null}", MATCH_YES},
      {"{'json':{'path':{'$.a':null}}}", "{}", MATCH_NO},
      {"{'json':{'path':{'$':[]}}}", "[]", MATCH_YES},
  };
  CHECK_ALL(cases);
}

static void parts_are_combined(void **state) {
  (void)state;
  static const struct matcher_case cases[] = {
      {"{'all':[{'prefix':'a'},{'suffix':'z'}]}", "a-z", MATCH_YES},
      {"{'all':[{'prefix':'a'},{'suffix':'z'}]}", "a-y", MATCH_NO},
      {"{'any':[{'prefix':'a'},{'suffix':'z'}]}", "b-z", MATCH_YES},
      {"{'any':[{'prefix':'a'},{'suffix':'z'}]}", "b-y", MATCH_NO},
      {"{'none':[{'prefix':'a'},{'suffix':'z'}]}", "b-y", MATCH_YES},
      {"{'none':[{'prefix':'a'},{'suffix':'z'}]}", "b-z", MATCH_NO},
      {"{'none':[{'prefix':'a'},{'suffix':'z'}]}", "a-y", MATCH_NO},
      {"{'all':[{'resource':'x'}]}", "x", MATCH_YES},
      {"{'all':[{'prefix':'o'},{'none':[{'any':[{'contains':'1'},{'contains':'2'}]}]}]}", "o3", MATCH_YES},
      {"{'all':[{'prefix':'o'},{'none':[{'any':[{'contains':'1'},{'contains':'2'}]}]}]}", "o2", MATCH_NO},
      {"{'any':[{'all':[{'json':{'path':{'$.a':1}}},{'contains':'b'}]},{'resource':'x'}]}", "{\"a\":1,\"b\":2}",
       MATCH_YES},
  };
  CHECK_ALL(cases);
}

static void an_undecided_part_leaves_undecided_what_it_would_decide(void **state) {
  (void)state;
  static const struct matcher_case cases[] = {
      {"{'all':[" HOSTILE ",{'prefix':'a'}]}", HOSTILE_TEXT, MATCH_LIMIT},
      {"{'all':[{'prefix':'a'}," HOSTILE "]}", HOSTILE_TEXT, MATCH_LIMIT},
      {"{'all':[" HOSTILE ",{'prefix':'b'}]}", HOSTILE_TEXT, MATCH_NO},
      {"{'any':[" HOSTILE ",{'prefix':'b'}]}", HOSTILE_TEXT, MATCH_LIMIT},
      {"{'any':[" HOSTILE ",{'prefix':'a'}]}", HOSTILE_TEXT, MATCH_YES},
      {"{'none':[" HOSTILE ",{'prefix':'b'}]}", HOSTILE_TEXT, MATCH_LIMIT},
      {"{'none':[" HOSTILE ",{'prefix':'a'}]}", HOSTILE_TEXT, MATCH_NO},
      {"{'none':[{'none':[" HOSTILE "]}]}", HOSTILE_TEXT, MATCH_LIMIT},
      {"{'any':[{'all':[" HOSTILE ",{'prefix':'a'}]},{'suffix':'!'}]}", HOSTILE_TEXT, MATCH_YES},
  };
  CHECK_ALL(cases);
}

static void parts_share_the_steps_of_their_mock(void **state) {
  (void)state;
  size_t steps_left;
  assert_int_equal(match("{'any':[" HOSTILE ",{'regex':'^a'}]}", HOSTILE_TEXT, &steps_left), MATCH_LIMIT);
  assert_int_equal(steps_left, 0);
  assert_int_equal(match("{'any':[" HOSTILE ",{'glob':'a*'}]}", HOSTILE_TEXT, &steps_left), MATCH_LIMIT);
  assert_int_equal(match("{'any':[{'glob':'a*'}," HOSTILE "]}", HOSTILE_TEXT, &steps_left), MATCH_YES);
  assert_int_equal(match("{'all':[{'prefix':'a'},{'contains':'!'}]}", HOSTILE_TEXT, &steps_left), MATCH_YES);
  assert_int_equal(steps_left, MATCH_STEPS_MAX - strlen(HOSTILE_TEXT) / 16); // what looking for a part counts
}

static void a_text_is_read_as_json_once(void **state) {
  (void)state;
  struct match_input input = {.text = STR("{\"a\":1}")};
  const json_t *json = match_input_json(&input);
  assert_non_null(json);
  assert_ptr_equal(match_input_json(&input), json);
  match_input_done(&input);
  assert_false(str_present(input.text));

  struct match_input broken = {.text = STR("{\"a\":")};
  assert_null(match_input_json(&broken));
  assert_true(broken.parsed);
  assert_null(match_input_json(&broken));
  match_input_done(&broken);
}

// ---- what is refused ----

static void check_refusal(const json_t *json, const char *place, const char *message) {
  struct matcher *matcher = NULL;
  struct err err = {0};
  size_t bytes = 7;
  assert_false(matcher_new(json, "mocks[0].match", &matcher, &bytes, &err));
  assert_null(matcher);
  assert_int_equal(bytes, 7);
  assert_int_equal(err.code, ERR_BAD_REQUEST);
  assert_string_equal(err.place, place);
  assert_string_equal(err.msg, message);
}

static void what_cannot_be_compiled_is_refused_at_its_place(void **state) {
  (void)state;
  static const char exactly_one[] =
      "A matcher is exactly one of resource, prefix, suffix, contains, glob, regex, json, "
      "all, any and none; combine several with all.";
  static const char one_of_three[] = "Exactly one of equal, partial and path is needed.";
  const struct {
    const char *matcher, *place, *message;
  } cases[] = {
      {"{}", "mocks[0].match", exactly_one},
      {"{'prefix':'a','suffix':'b'}", "mocks[0].match", exactly_one},
      {"{'all':[{'prefix':'a'},{}]}", "mocks[0].match.all[1]", exactly_one},
      {"{'regex':'('}", "mocks[0].match.regex",
       "The regular expression can't be used: missing closing parenthesis (at byte 1)."},
      {"{'any':[{'none':[{'regex':'a'},{'regex':'[b'}]}]}", "mocks[0].match.any[0].none[1].regex",
       "The regular expression can't be used: missing terminating ] for character class (at byte 2)."},
      {"{'json':{}}", "mocks[0].match.json", one_of_three},
      {"{'json':{'equal':1,'partial':1}}", "mocks[0].match.json", one_of_three},
      {"{'json':{'equal':null,'path':{'$':1}}}", "mocks[0].match.json", one_of_three},
      {"{'json':{'path':{}}}", "mocks[0].match.json.path", "At least one path is needed, e.g. {\"$.id\": 42}."},
      {"{'all':[{'json':{'path':{'$.a':1,'b':2}}}]}", "mocks[0].match.all[0].json.path",
       "The JSON path is not understood at byte 0: expected $ at the start. The path is 'b'."},
      {"{'none':[{'json':{'path':{'$[0:1]':1}}}]}", "mocks[0].match.none[0].json.path",
       "The JSON path is not understood at byte 3: expected ]. The path is '$[0:1]'."},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    json_t *json = json_of(cases[i].matcher);
    check_refusal(json, cases[i].place, cases[i].message);
    json_decref(json);
  }
}

static json_t *nested(int depth) {
  json_t *json = json_of("{'prefix':'a'}");
  while (depth-- > 0) json = json_pack("{s[o]}", "all", json);
  return json;
}

static json_t *wide(int parts) {
  json_t *all = json_array();
  while (parts-- > 0) json_array_append_new(all, json_of("{'prefix':'a'}"));
  return json_pack("{so}", "all", all);
}

static json_t *paths(int count) {
  json_t *path = json_object();
  for (int i = 0; i < count; i++) {
    char name[16];
    snprintf(name, sizeof name, "$[%d]", i);
    json_object_set_new(path, name, json_true());
  }
  return json_pack("{s{so}}", "json", "path", path);
}

static void check_taken(json_t *take_json) {
  struct matcher *matcher = NULL;
  struct err err = {0};
  size_t bytes;
  if (!matcher_new(take_json, "m", &matcher, &bytes, &err)) fail_msg("%s: %s", err.place, err.msg);
  matcher_free(matcher);
  json_decref(take_json);
}

static void check_refused(json_t *take_json, const char *place, const char *message) {
  check_refusal(take_json, place, message);
  json_decref(take_json);
}

static void depth_and_parts_are_bounded(void **state) {
  (void)state;
  static const char too_many[] = "A mock has at most 64 matchers and JSON paths, all levels together.";
  check_taken(nested(8));
  check_refused(nested(9), "mocks[0].match.all[0].all[0].all[0].all[0].all[0].all[0].all[0].all[0].all",
                "Matchers are nested deeper than 8 levels.");
  check_taken(wide(63));
  check_refused(wide(64), "mocks[0].match.all", too_many);
  check_taken(json_pack("{s[oo]}", "any", wide(30), wide(31)));
  check_refused(json_pack("{s[oo]}", "any", wide(31), wide(31)), "mocks[0].match.any[1].all", too_many);
  check_taken(paths(64));
  check_refused(paths(65), "mocks[0].match.json.path", too_many);
  check_refused(json_pack("{s[oo]}", "any", paths(32), paths(32)), "mocks[0].match.any[1].json.path", too_many);
}

static void its_memory_is_known(void **state) {
  (void)state;
  size_t small, text, json, regex;
  matcher_free(matcher_of("{'prefix':'a'}", &small));
  matcher_free(matcher_of("{'prefix':'abcdefghijk'}", &text));
  matcher_free(matcher_of("{'json':{'equal':[1,2,3,4,5,6,7,8,9,10,11,12]}}", &json));
  matcher_free(matcher_of("{'regex':'(?:abcdef){100}'}", &regex));
  assert_int_equal(small, sizeof(struct matcher) + 2);
  assert_int_equal(text - small, 10);
  assert_in_range(json, sizeof(struct matcher) + 12 * sizeof(json_t) + 12 * sizeof(void *), 4096);
  assert_in_range(regex, 600, 20000);
  matcher_free(NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(texts_are_compared_by_bytes),
      cmocka_unit_test(patterns_are_those_of_their_kind),
      cmocka_unit_test(json_is_compared_as_json),
      cmocka_unit_test(parts_are_combined),
      cmocka_unit_test(an_undecided_part_leaves_undecided_what_it_would_decide),
      cmocka_unit_test(parts_share_the_steps_of_their_mock),
      cmocka_unit_test(a_text_is_read_as_json_once),
      cmocka_unit_test(what_cannot_be_compiled_is_refused_at_its_place),
      cmocka_unit_test(depth_and_parts_are_bounded),
      cmocka_unit_test(its_memory_is_known),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
