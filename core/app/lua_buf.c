// SPDX-License-Identifier: Apache-2.0
// Scratch memory of bindings. A plain struct buf on the C stack would leak when a Lua call raises; this one belongs to
// the state.
#include "app/lua_buf.h"

#include <lauxlib.h>

#define BUF_TYPE "olivares.buf"

static int buf_gc(lua_State *L) {
  buf_done(luaL_checkudata(L, 1, BUF_TYPE));
  return 0;
}

struct buf *lua_buf_new(lua_State *L, size_t cap_bytes) {
  struct buf *buf = lua_newuserdatauv(L, sizeof *buf, 0);
  buf_init(buf, cap_bytes);
  if (luaL_newmetatable(L, BUF_TYPE)) {
    lua_pushcfunction(L, buf_gc);
    lua_setfield(L, -2, "__gc");
  }
  lua_setmetatable(L, -2);
  return buf;
}

void lua_buf_push(lua_State *L, struct buf *buf) {
  struct str text = buf_str(buf);
  lua_pushlstring(L, text.data, text.len);
  size_t cap_bytes = buf->cap_bytes;
  buf_done(buf);
  buf_init(buf, cap_bytes);
}
