// SPDX-License-Identifier: Apache-2.0
// How a failure crosses into Lua: two results, nil and a table, the same everywhere.
#include "app/lua_fail.h"

static void push_failure(lua_State *L, const char *code, const char *message) {
  lua_pushnil(L);
  lua_createtable(L, 0, 4);
  lua_pushstring(L, code);
  lua_setfield(L, -2, "code");
  lua_pushstring(L, message);
  lua_setfield(L, -2, "message");
}

int lua_fail_push(lua_State *L, const struct err *err) {
  push_failure(L, err_code_name(err->code), err->msg);
  if (err->place[0]) {
    lua_pushstring(L, err->place);
    lua_setfield(L, -2, "place");
  }
  if (err->retry_after_s > 0) {
    lua_pushinteger(L, err->retry_after_s);
    lua_setfield(L, -2, "retry_after_s");
  }
  return 2;
}

int lua_fail_push_code(lua_State *L, const char *code, const char *message) {
  push_failure(L, code, message);
  return 2;
}
