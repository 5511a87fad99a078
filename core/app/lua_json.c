// SPDX-License-Identifier: Apache-2.0
// olivares.json: strict JSON for trusted Lua, over base/json.h. Integers stay integers, [] stays [], null stays null.
//   json.decode(text)        the value | nil, failure with the line and column as its place
//   json.encode(value)       text; members sorted by bytes. Raises on what JSON can't say (functions, NaN, mixed keys)
//   json.member(text, name)  the text of one member of an object, byte for byte, or nil when there is none | nil,
//   failure json.array(table)        marks a table as an array, so that an empty one is []; gives the table
//   json.is_array(value)     whether it is marked, as decoded arrays are
//   json.raw(text)           a value that encode writes as it is: text that is JSON already
//   json.null                the value of a null
#include "app/lua_json.h"

#include <lauxlib.h>
#include <limits.h>

#include "app/lua_fail.h"
#include "app/lua_modules.h"
#include "base/json.h"

#define TREE_TYPE "olivares.json.tree"

// A parsed document is kept in a userdata while it is being read, since pushing values may raise.
struct tree {
  json_t *root;
};

static int tree_gc(lua_State *L) {
  struct tree *tree = luaL_checkudata(L, 1, TREE_TYPE);
  json_decref(tree->root);
  tree->root = NULL;
  return 0;
}

static struct tree *tree_new(lua_State *L) {
  struct tree *tree = lua_newuserdatauv(L, sizeof *tree, 0);
  tree->root = NULL;
  luaL_setmetatable(L, TREE_TYPE);
  return tree;
}

static int table_size_hint(size_t count) {
  return count < INT_MAX ? (int)count : INT_MAX;
}

static void push_value(lua_State *L, json_t *json);

static void push_array(lua_State *L, json_t *json) {
  size_t count = json_array_size(json);
  lua_createtable(L, table_size_hint(count), 0);
  luaL_setmetatable(L, LUA_JSON_ARRAY);
  for (size_t i = 0; i < count; i++) {
    push_value(L, json_array_get(json, i));
    lua_rawseti(L, -2, (lua_Integer)i + 1);
  }
}

static void push_object(lua_State *L, json_t *json) {
  lua_createtable(L, 0, table_size_hint(json_object_size(json)));
  for (void *at = json_object_iter(json); at; at = json_object_iter_next(json, at)) {
    lua_pushlstring(L, json_object_iter_key(at), json_object_iter_key_len(at));
    push_value(L, json_object_iter_value(at));
    lua_rawset(L, -3);
  }
}

/// Depth is bounded by the reader (JSON_MAX_DEPTH).
static void push_value(lua_State *L, json_t *json) {
  luaL_checkstack(L, 4, "JSON nesting");
  switch (json_typeof(json)) {
  case JSON_OBJECT: push_object(L, json); break;
  case JSON_ARRAY: push_array(L, json); break;
  case JSON_STRING: lua_pushlstring(L, json_string_value(json), json_string_length(json)); break;
  case JSON_INTEGER: lua_pushinteger(L, json_integer_value(json)); break;
  case JSON_REAL: lua_pushnumber(L, json_real_value(json)); break;
  case JSON_TRUE: lua_pushboolean(L, 1); break;
  case JSON_FALSE: lua_pushboolean(L, 0); break;
  case JSON_NULL: lua_pushlightuserdata(L, NULL); break;
  }
}

static struct str check_str(lua_State *L, int index) {
  struct str text = {0};
  text.data = luaL_checklstring(L, index, &text.len);
  return text;
}

static int json_decode_text(lua_State *L) {
  struct str text = check_str(L, 1);
  struct tree *tree = tree_new(L);
  struct err err = {0};
  if (!json_read(text, &tree->root, &err)) return lua_fail_push(L, &err);
  push_value(L, tree->root);
  return 1;
}

static int json_member_text(lua_State *L) {
  struct str text = check_str(L, 1);
  struct str name = check_str(L, 2);
  struct tree *tree = tree_new(L);
  struct err err = {0};
  if (!json_read(text, &tree->root, &err)) return lua_fail_push(L, &err);
  struct str value = STR_NONE;
  if (json_object_size(tree->root) > 0 && json_slice_member(text, name, &value))
    lua_pushlstring(L, value.data, value.len);
  else
    lua_pushnil(L);
  return 1;
}

bool lua_json_is(lua_State *L, int index, const char *type) {
  if (!lua_getmetatable(L, index)) return false;
  luaL_getmetatable(L, type);
  bool same = lua_rawequal(L, -1, -2);
  lua_pop(L, 2);
  return same;
}

static int json_mark_array(lua_State *L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  lua_settop(L, 1);
  luaL_setmetatable(L, LUA_JSON_ARRAY);
  return 1;
}

static int json_is_marked_array(lua_State *L) {
  luaL_checkany(L, 1);
  lua_pushboolean(L, lua_json_is(L, 1, LUA_JSON_ARRAY));
  return 1;
}

static int json_mark_raw(lua_State *L) {
  luaL_checktype(L, 1, LUA_TSTRING);
  lua_createtable(L, 1, 0);
  lua_pushvalue(L, 1);
  lua_rawseti(L, -2, 1);
  luaL_setmetatable(L, LUA_JSON_RAW);
  return 1;
}

void lua_json_make_type(lua_State *L, const char *type, lua_CFunction gc) {
  luaL_newmetatable(L, type);
  lua_pushboolean(L, 0);
  lua_setfield(L, -2, "__metatable");
  if (gc) {
    lua_pushcfunction(L, gc);
    lua_setfield(L, -2, "__gc");
  }
  lua_pop(L, 1);
}

int lua_open_json(lua_State *L) {
  static const luaL_Reg functions[] = {
      {"decode", json_decode_text},
      {"encode", lua_json_encode},
      {"member", json_member_text},
      {"array", json_mark_array},
      {"is_array", json_is_marked_array},
      {"raw", json_mark_raw},
      {NULL, NULL},
  };
  lua_json_make_type(L, LUA_JSON_ARRAY, NULL);
  lua_json_make_type(L, LUA_JSON_RAW, NULL);
  lua_json_make_type(L, TREE_TYPE, tree_gc);
  luaL_newlib(L, functions);
  lua_pushlightuserdata(L, NULL);
  lua_setfield(L, -2, "null");
  return 1;
}
