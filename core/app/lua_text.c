// SPDX-License-Identifier: Apache-2.0
// olivares.text: text for people, over app/lua_cells.h.
//   text.clean(text)           neutralised, on one line
//   text.clean_lines(text)     neutralised, line feeds kept
//   text.width(text)           cells of clean text
//   text.cut(text, cells)      clean text, cut with "…" when it takes more than `cells`
//   text.nearest(word, words)  the entry of a list that was probably meant, or nil
#include <lauxlib.h>

#include "app/lua_buf.h"
#include "app/lua_cells.h"
#include "app/lua_modules.h"

// Neutralising makes of one byte at most four ("\x1b"), of two or more at most nine ("\u{e0fff}").
enum { CLEAN_GROWTH = 5 };

static struct str check_str(lua_State *L, int index) {
  struct str text = {0};
  text.data = luaL_checklstring(L, index, &text.len);
  return text;
}

static int clean(lua_State *L, bool keep_lines) {
  struct str text = check_str(L, 1);
  struct buf *buf = lua_buf_new(L, text.len * CLEAN_GROWTH + 1);
  cells_clean(text, keep_lines, buf);
  lua_buf_push(L, buf);
  return 1;
}

static int text_clean(lua_State *L) {
  return clean(L, false);
}

static int text_clean_lines(lua_State *L) {
  return clean(L, true);
}

static int text_width(lua_State *L) {
  lua_pushinteger(L, (lua_Integer)cells_width(check_str(L, 1)));
  return 1;
}

static int text_cut(lua_State *L) {
  struct str text = check_str(L, 1);
  lua_Integer cells = luaL_checkinteger(L, 2);
  luaL_argcheck(L, cells >= 1, 2, "at least one cell");
  lua_settop(L, 1);
  if (cells_prefix(text, (size_t)cells).len == text.len) return 1;
  struct str prefix = cells_prefix(text, (size_t)cells - 1);
  lua_pushlstring(L, prefix.data, prefix.len);
  lua_pushliteral(L, "…");
  lua_concat(L, 2);
  return 1;
}

static int text_nearest(lua_State *L) {
  struct str word = check_str(L, 1);
  luaL_checktype(L, 2, LUA_TTABLE);
  lua_Unsigned count = lua_rawlen(L, 2);
  const char **words = lua_newuserdatauv(L, (count + 1) * sizeof *words, 0);
  for (lua_Unsigned i = 0; i < count; i++) {
    lua_rawgeti(L, 2, (lua_Integer)i + 1);
    words[i] = luaL_checkstring(L, -1); // the list keeps it
    lua_pop(L, 1);
  }
  words[count] = NULL;
  lua_pushstring(L, str_nearest(word, words)); // NULL becomes nil
  return 1;
}

int lua_open_text(lua_State *L) {
  static const luaL_Reg functions[] = {
      {"clean", text_clean}, {"clean_lines", text_clean_lines}, {"width", text_width},
      {"cut", text_cut},     {"nearest", text_nearest},         {NULL, NULL},
  };
  luaL_newlib(L, functions);
  return 1;
}
