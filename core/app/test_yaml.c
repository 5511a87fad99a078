// SPDX-License-Identifier: Apache-2.0
// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
// clang-format on
#include <lauxlib.h>
#include <lualib.h>
#include <stdlib.h>
#include <string.h>

#include "app/lua_modules.h"

static int open_state(void **state) {
  lua_State *L = luaL_newstate();
  luaL_requiref(L, "json", lua_open_json, 1);
  luaL_requiref(L, "yaml", lua_open_yaml, 1);
  luaL_openlibs(L);
  lua_settop(L, 0);
  *state = L;
  return 0;
}

static int close_state(void **state) {
  lua_close(*state);
  return 0;
}

/// What yaml.decode makes of the text, as JSON; or "place: message". The value is left on the stack.
static const char *decoded(lua_State *L, const char *text, size_t len) {
  lua_settop(L, 0);
  if (luaL_loadstring(L, "local value, why = yaml.decode(...)\n"
                         "if why then return why.place and why.place .. ': ' .. why.message or why.message end\n"
                         "return json.encode(value)") != LUA_OK)
    fail_msg("%s", lua_tostring(L, -1));
  lua_pushlstring(L, text, len);
  if (lua_pcall(L, 1, 1, 0) != LUA_OK) fail_msg("raised: %s", lua_tostring(L, -1));
  assert_int_equal(lua_type(L, -1), LUA_TSTRING);
  return lua_tostring(L, -1);
}

struct example {
  const char *yaml, *expected;
};

static void check_all(lua_State *L, const struct example *examples, size_t count) {
  for (size_t i = 0; i < count; i++)
    assert_string_equal(decoded(L, examples[i].yaml, strlen(examples[i].yaml)), examples[i].expected);
}
#define CHECK_ALL(state, examples) check_all(*(state), examples, sizeof(examples) / sizeof *(examples))

static void plain_scalars_mean_what_the_core_schema_says(void **state) {
  static const struct example examples[] = {
      {"[null, Null, NULL, ~, ]", "[null,null,null,null]"},
      {"a:", "{\"a\":null}"},
      {"[true, True, TRUE, false, False, FALSE]", "[true,true,true,false,false,false]"},
      {"[yes, no, on, off, y, n, tRUE, nUll]", "[\"yes\",\"no\",\"on\",\"off\",\"y\",\"n\",\"tRUE\",\"nUll\"]"},
      {"[0, -1, +7, 007, 0o17, 0xfF]", "[0,-1,7,7,15,255]"},
      {"[9223372036854775807, -9223372036854775808]", "[9223372036854775807,-9223372036854775808]"},
      {"[1.5, -.5, 1e2, 2., +1.25E-1]", "[1.5,-0.5,100,2,0.125]"},
      {"[1_000, 1:30, 0o8, 0x, 1e, ., +, 0b1, 1.2.3, 2011-11-01]",
       "[\"1_000\",\"1:30\",\"0o8\",\"0x\",\"1e\",\".\",\"+\",\"0b1\",\"1.2.3\",\"2011-11-01\"]"},
  };
  CHECK_ALL(state, examples);
}

static void quoted_and_block_scalars_are_text(void **state) {
  static const struct example examples[] = {
      {"['yes', \"no\", '1.0', \"1\", '', \"null\", '~']", "[\"yes\",\"no\",\"1.0\",\"1\",\"\",\"null\",\"~\"]"},
      {"a: |\n  12\nb: >-\n  true\n", "{\"a\":\"12\\n\",\"b\":\"true\"}"},
      {"\"\\u00e9\\n\\x41\"", "\"é\\nA\""},
      {"a: first\n  second", "{\"a\":\"first second\"}"},
  };
  CHECK_ALL(state, examples);
}

static void empty_collections_keep_their_kind(void **state) {
  static const struct example examples[] = {{"{a: [], b: {}}", "{\"a\":[],\"b\":{}}"}, {"[]", "[]"}, {"{}", "{}"}};
  CHECK_ALL(state, examples);
}

static void keys_are_text_as_written(void **state) {
  static const struct example examples[] = {
      {"200: ok\ntrue: x\n~: y\n'': z\n<<: m\n", "{\"\":\"z\",\"200\":\"ok\",\"<<\":\"m\",\"true\":\"x\",\"~\":\"y\"}"},
      {"a: 1\nb: 2\na: 3\n", "line 3, column 1: The key is there twice."},
      {"? [a]\n: 1\n", "line 1, column 3: A key must be text."},
      {"a: ~\na: 1\n", "line 2, column 1: The key is there twice."},
  };
  CHECK_ALL(state, examples);
}

static void tags_are_passed_over_but_for_text_and_bytes(void **state) {
  static const struct example examples[] = {
      {"!ruby/object:Foo {a: !int 1, b: !!float 2.5}", "{\"a\":1,\"b\":2.5}"},
      {"[!!str 1, ! 1, !!str true, !!python/unicode 'x']", "[\"1\",\"1\",\"true\",\"x\"]"},
      {"a: !!binary |\n  aGVs\n  bG8=\n", "{\"a\":\"hello\"}"},
      {"[!binary aGk=, !!binary '']", "[\"hi\",\"\"]"},
      {"!!binary a", "line 1, column 1: What is tagged as binary is no base64."},
      {"!!binary a===", "line 1, column 1: What is tagged as binary is no base64."},
      {"!!binary aG=k", "line 1, column 1: What is tagged as binary is no base64."},
      {"!!binary aG*k", "line 1, column 1: What is tagged as binary is no base64."},
  };
  CHECK_ALL(state, examples);
  static const char bytes[] = "!!binary AP+A";
  lua_State *L = *state;
  lua_settop(L, 0);
  assert_int_equal(luaL_loadstring(L, "return yaml.decode(...)"), LUA_OK);
  lua_pushstring(L, bytes);
  lua_call(L, 1, 1);
  size_t len;
  const char *got = lua_tolstring(L, -1, &len);
  assert_int_equal(len, 3);
  assert_memory_equal(got, "\0\xff\x80", 3);
}

static void numbers_that_json_lacks_are_refused(void **state) {
  static const char *const numbers[] = {".inf",
                                        "-.INF",
                                        ".nan",
                                        "9223372036854775808",
                                        "-9223372036854775809",
                                        "0x8000000000000000",
                                        "0o1000000000000000000000",
                                        "1e999"};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
    assert_string_equal(decoded(*state, numbers[i], strlen(numbers[i])),
                        "line 1, column 1: The number is infinite, none, or beyond 64 bits; in quotes it is text.");
}

static void aliases_give_the_anchored_value_again(void **state) {
  static const struct example examples[] = {
      {"[&a {x: 1}, *a, *a]", "[{\"x\":1},{\"x\":1},{\"x\":1}]"},
      {"[&a 1, &a 2, *a]", "[1,2,2]"},
      {"[&a [], *a]", "[[],[]]"},
      {"[&a ~, *a]", "[null,null]"},
      {"[*a]", "line 1, column 2: The alias names an anchor that is not there, or that it is part of."},
      {"&a [*a]", "line 1, column 5: The alias names an anchor that is not there, or that it is part of."},
  };
  CHECK_ALL(state, examples);
}

static void an_alias_counts_as_all_it_stands_for(void **state) {
  lua_State *L = *state;
  // Ten levels of ten: 10^10 nodes in 400 bytes.
  assert_int_equal(luaL_dostring(L, "local lines = {'l0: &l0 [x,x,x,x,x,x,x,x,x,x]'}\n"
                                    "for level = 1, 9 do\n"
                                    "  local alias = '*l' .. level - 1\n"
                                    "  lines[#lines + 1] = ('l%d: &l%d [%s]'):format(level, level,\n"
                                    "    alias .. (',' .. alias):rep(9))\n"
                                    "end\n"
                                    "return table.concat(lines, '\\n')"),
                   LUA_OK);
  char text[1024];
  size_t len;
  const char *made = lua_tolstring(L, -1, &len);
  assert_true(len < sizeof text);
  memcpy(text, made, len);
  assert_string_equal(decoded(L, text, len), "line 6, column 38: The document has more than a million nodes.");
}

/// "[[[…]]]", `levels` of them.
static const char *nested(lua_State *L, size_t levels, const char *before, const char *behind) {
  char text[512];
  size_t lead = strlen(before);
  memcpy(text, before, lead);
  memset(text + lead, '[', levels);
  memset(text + lead + levels, ']', levels);
  memcpy(text + lead + 2 * levels, behind, strlen(behind) + 1);
  return decoded(L, text, strlen(text));
}

static void nesting_is_bounded_also_by_way_of_aliases(void **state) {
  assert_memory_equal(nested(*state, 64, "", ""), "[[[[", 4);
  assert_string_equal(nested(*state, 65, "", ""), "line 1, column 65: The document is nested deeper than 64.");
  // 63 levels below the outermost: fits once, and not one level deeper.
  assert_memory_equal(nested(*state, 62, "[&a ", ", [*a]]"), "[[[[", 4);
  assert_string_equal(nested(*state, 63, "[&a ", ", [*a]]"),
                      "line 1, column 134: The document is nested deeper than 64.");
}

static void exactly_one_document_is_read(void **state) {
  static const struct example examples[] = {
      {"", "line 1, column 1: There is no document."},
      {"# nothing\n", "line 2, column 1: There is no document."},
      {"---\n", "null"},
      {"--- 1\n--- 2\n", "line 2, column 1: There is a second document."},
      {"%YAML 1.2\n---\na: 1\n...\n", "{\"a\":1}"},
  };
  CHECK_ALL(state, examples);
}

static void what_is_no_yaml_is_refused_with_its_place(void **state) {
  static const struct example examples[] = {
      {"a: [1,", "line 2, column 1: The text is no YAML: did not find expected node content."},
      {"a: b: c", "line 1, column 5: The text is no YAML: mapping values are not allowed in this context."},
      {"a: 1\n\tb: 2", "line 2, column 1: The text is no YAML: found a tab character that violates indentation."},
  };
  CHECK_ALL(state, examples);
  assert_non_null(strstr(decoded(*state, "a: \xff", 4), "The text is no YAML: invalid leading UTF-8 octet (byte 4)."));
}

int main(void) {
#define TEST(f) cmocka_unit_test_setup_teardown(f, open_state, close_state)
  const struct CMUnitTest tests[] = {
      TEST(plain_scalars_mean_what_the_core_schema_says),
      TEST(quoted_and_block_scalars_are_text),
      TEST(empty_collections_keep_their_kind),
      TEST(keys_are_text_as_written),
      TEST(tags_are_passed_over_but_for_text_and_bytes),
      TEST(numbers_that_json_lacks_are_refused),
      TEST(aliases_give_the_anchored_value_again),
      TEST(an_alias_counts_as_all_it_stands_for),
      TEST(nesting_is_bounded_also_by_way_of_aliases),
      TEST(exactly_one_document_is_read),
      TEST(what_is_no_yaml_is_refused_with_its_place),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
