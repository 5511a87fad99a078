// SPDX-License-Identifier: Apache-2.0
// olivares.file: whole files. The CLI never works on parts of one.
//   file.read(path)                 the bytes; path "-" is standard input | nil, failure
//   file.write_private(path, text)  replaces the file atomically, mode 0600; true | nil, failure
#include <lauxlib.h>

#include "app/lua_buf.h"
#include "app/lua_fail.h"
#include "app/lua_modules.h"
#include "sys/file.h"

// Far above what a request may carry: a file that is too large is answered by the engine, which knows the limit.
enum { FILE_READ_MAX_BYTES = 64 * 1024 * 1024 };

static int file_read_all(lua_State *L) {
  const char *path = luaL_checkstring(L, 1);
  struct buf *buf = lua_buf_new(L, FILE_READ_MAX_BYTES);
  struct err err = {0};
  if (!file_read(path, FILE_READ_MAX_BYTES, buf, &err)) return lua_fail_push(L, &err);
  lua_buf_push(L, buf);
  return 1;
}

static int file_write_private(lua_State *L) {
  const char *path = luaL_checkstring(L, 1);
  struct str content = {0};
  content.data = luaL_checklstring(L, 2, &content.len);
  struct err err = {0};
  if (!file_write_atomic(path, content, 0600, &err)) return lua_fail_push(L, &err);
  lua_pushboolean(L, 1);
  return 1;
}

int lua_open_file(lua_State *L) {
  static const luaL_Reg functions[] = {
      {"read", file_read_all},
      {"write_private", file_write_private},
      {NULL, NULL},
  };
  luaL_newlib(L, functions);
  return 1;
}
