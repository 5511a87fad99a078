// SPDX-License-Identifier: Apache-2.0
// Lua values to JSON text. Members are sorted by bytes, so that the same value always gives the same text. What JSON
// can't say is a fault of the caller and raises.
#include <lauxlib.h>
#include <math.h>
#include <stdlib.h>

#include "app/lua_buf.h"
#include "app/lua_json.h"
#include "base/json.h"
#include "base/json_writer.h"
#include "base/utf8.h"

enum { ENCODE_MAX_BYTES = 256 * 1024 * 1024 };

static struct str str_at(lua_State *L, int index) {
  struct str text = {0};
  text.data = lua_tolstring(L, index, &text.len);
  return text;
}

static struct str checked(lua_State *L, struct str text) {
  if (!utf8_valid(text, NULL)) luaL_error(L, "text that is not UTF-8 is no JSON");
  return text;
}

static void write_value(lua_State *L, struct json_writer *w);

static int compare_str(const void *a, const void *b) {
  return str_cmp(*(const struct str *)a, *(const struct str *)b);
}

/// The names of the table on the top, sorted, in a userdata pushed above it; the table keeps the strings alive.
static const struct str *push_sorted_names(lua_State *L, size_t *ret_count) {
  size_t count = 0;
  for (lua_pushnil(L); lua_next(L, -2); lua_pop(L, 1)) {
    if (lua_type(L, -2) != LUA_TSTRING)
      luaL_error(L, "a table with a key of type %s is no JSON object", luaL_typename(L, -2));
    count++;
  }
  struct str *names = lua_newuserdatauv(L, (count + 1) * sizeof *names, 0);
  size_t i = 0;
  for (lua_pushnil(L); lua_next(L, -3); lua_pop(L, 1)) {
    names[i].data = lua_tolstring(L, -2, &names[i].len);
    i++;
  }
  qsort(names, count, sizeof *names, compare_str);
  *ret_count = count;
  return names;
}

static void write_object(lua_State *L, struct json_writer *w) {
  size_t count = 0;
  const struct str *names = push_sorted_names(L, &count); // table names
  jw_object(w, NULL);
  for (size_t i = 0; i < count; i++) {
    jw_key(w, checked(L, names[i]));
    lua_pushlstring(L, names[i].data, names[i].len);
    lua_rawget(L, -3);
    write_value(L, w);
    lua_pop(L, 1);
  }
  jw_object_end(w);
  lua_pop(L, 1);
}

static void write_array(lua_State *L, struct json_writer *w) {
  jw_array(w, NULL);
  lua_Unsigned count = lua_rawlen(L, -1);
  for (lua_Unsigned i = 1; i <= count; i++) {
    lua_rawgeti(L, -1, (lua_Integer)i);
    write_value(L, w);
    lua_pop(L, 1);
  }
  jw_array_end(w);
}

static void write_table(lua_State *L, struct json_writer *w) {
  if (w->depth >= JSON_MAX_DEPTH) luaL_error(L, "a value nested deeper than %d", (int)JSON_MAX_DEPTH);
  if (lua_json_is(L, -1, LUA_JSON_RAW)) {
    lua_rawgeti(L, -1, 1);
    struct str raw = str_at(L, -1);
    jw_raw(w, NULL, raw);
    lua_pop(L, 1);
  } else if (lua_json_is(L, -1, LUA_JSON_ARRAY) || lua_rawlen(L, -1) > 0) {
    write_array(L, w);
  } else {
    write_object(L, w);
  }
}

static void write_number(lua_State *L, struct json_writer *w) {
  if (lua_isinteger(L, -1)) {
    jw_int(w, NULL, lua_tointeger(L, -1));
    return;
  }
  lua_Number number = lua_tonumber(L, -1);
  if (!isfinite(number)) luaL_error(L, "a number that is not finite is no JSON");
  jw_real(w, NULL, number);
}

/// Writes the value on the top of the stack and leaves it there.
static void write_value(lua_State *L, struct json_writer *w) {
  luaL_checkstack(L, 8, "JSON nesting");
  switch (lua_type(L, -1)) {
  case LUA_TTABLE: write_table(L, w); break;
  case LUA_TSTRING: jw_str(w, NULL, checked(L, str_at(L, -1))); break;
  case LUA_TNUMBER: write_number(L, w); break;
  case LUA_TBOOLEAN: jw_bool(w, NULL, lua_toboolean(L, -1)); break;
  case LUA_TLIGHTUSERDATA: jw_null(w, NULL); break;
  default: luaL_error(L, "a %s is no JSON", luaL_typename(L, -1));
  }
}

int lua_json_encode(lua_State *L) {
  luaL_checkany(L, 1);
  lua_settop(L, 1);
  struct buf *buf = lua_buf_new(L, ENCODE_MAX_BYTES);
  struct json_writer writer;
  jw_init(&writer, buf);
  lua_pushvalue(L, 1);
  write_value(L, &writer);
  if (buf->over) return luaL_error(L, "a JSON text over %d bytes", (int)ENCODE_MAX_BYTES);
  lua_buf_push(L, buf);
  return 1;
}
