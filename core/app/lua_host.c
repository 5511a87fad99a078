// SPDX-License-Identifier: Apache-2.0
// olivares.host: the program itself.
//   host.version                      "0.1.0"
//   host.serve(listen|nil, data|nil)  runs the engine behind a socket until it is stopped; gives the exit status
//   host.default_data()               the data directory when none is named | nil, failure
#include <lauxlib.h>
#include <stdlib.h>

#include "app/lua_buf.h"
#include "app/lua_fail.h"
#include "app/lua_modules.h"
#include "app/serve.h"
#include "sys/file.h"

static int host_serve(lua_State *L) {
  const struct serve_options options = {.listen = luaL_optstring(L, 1, NULL), .data_dir = luaL_optstring(L, 2, NULL)};
  lua_pushinteger(L, serve_run(&options));
  return 1;
}

static int host_default_data(lua_State *L) {
  struct buf *buf = lua_buf_new(L, SIZE_MAX);
  struct err err = {0};
  char *path = NULL;
  if (!path_default_data(&path, &err)) return lua_fail_push(L, &err);
  buf_add_c(buf, path);
  free(path);
  lua_buf_push(L, buf);
  return 1;
}

int lua_open_host(lua_State *L) {
  static const luaL_Reg functions[] = {
      {"serve", host_serve},
      {"default_data", host_default_data},
      {NULL, NULL},
  };
  luaL_newlib(L, functions);
  lua_pushliteral(L, OLIVARES_VERSION);
  lua_setfield(L, -2, "version");
  return 1;
}
