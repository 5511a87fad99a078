// SPDX-License-Identifier: Apache-2.0
// The C side of the CLI: one Lua state, the modules carried inside the executable, and the status that comes back.
// Everything a person sees is decided in lua/cli. No Lua code is ever read from the file system: the state's only
// searchers are the host's own modules and the embedded chunks.
#include "app/cli_host.h"

#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "app/lua_chunks.h"
#include "app/lua_modules.h"

enum { EXIT_INTERNAL = 6 };

static const luaL_Reg host_modules[] = {
    {"olivares.client", lua_open_client}, {"olivares.file", lua_open_file},
    {"olivares.host", lua_open_host},     {"olivares.json", lua_open_json},
    {"olivares.term", lua_open_term},     {"olivares.text", lua_open_text},
    {"olivares.yaml", lua_open_yaml},     {NULL, NULL},
};

static const struct lua_chunk *find_chunk(const char *name) {
  for (const struct lua_chunk *chunk = lua_chunks; chunk->name; chunk++)
    if (strcmp(chunk->name, name) == 0) return chunk;
  return NULL;
}

/// A searcher for require(): the loader of an embedded module, or a text that says there is none.
static int search_chunk(lua_State *L) {
  const char *name = luaL_checkstring(L, 1);
  const struct lua_chunk *chunk = find_chunk(name);
  if (!chunk) {
    lua_pushfstring(L, "no embedded module '%s'", name);
    return 1;
  }
  if (luaL_loadbufferx(L, (const char *)chunk->bytes, chunk->len, name, "b") != LUA_OK)
    return luaL_error(L, "embedded module '%s': %s", name, lua_tostring(L, -1));
  lua_pushstring(L, name);
  return 2;
}

static void set_up_require(lua_State *L) {
  lua_getglobal(L, "package");
  lua_getfield(L, -1, "preload");
  luaL_setfuncs(L, host_modules, 0);
  lua_pop(L, 1);
  lua_getfield(L, -1, "searchers"); // package searchers
  lua_createtable(L, 2, 0);         // package searchers own
  lua_rawgeti(L, -2, 1);            // … preload
  lua_rawseti(L, -2, 1);
  lua_pushcfunction(L, search_chunk);
  lua_rawseti(L, -2, 2);
  lua_setfield(L, -3, "searchers");
  lua_pop(L, 2);
}

struct command_line {
  int argc;
  char **argv;
};

/// cli.main.run(arguments) → exit status.
static int run_main(lua_State *L) {
  const struct command_line *line = lua_touserdata(L, 1);
  luaL_openlibs(L);
  set_up_require(L);
  lua_getglobal(L, "require");
  lua_pushliteral(L, "cli.main");
  lua_call(L, 1, 1);
  lua_getfield(L, -1, "run");
  lua_createtable(L, line->argc, 0);
  for (int i = 1; i < line->argc; i++) {
    lua_pushstring(L, line->argv[i]);
    lua_rawseti(L, -2, i);
  }
  lua_call(L, 1, 1);
  return 1;
}

static int add_traceback(lua_State *L) {
  luaL_traceback(L, L, luaL_tolstring(L, 1, NULL), 1);
  return 1;
}

int cli_host_run(int argc, char **argv) {
  // A reader that has gone away (`| head`) ends the process quietly, whatever the parent left behind.
  signal(SIGPIPE, SIG_DFL);
  lua_State *L = luaL_newstate();
  if (!L) {
    fputs("olivares: not enough memory to start (internal)\n", stderr);
    return EXIT_INTERNAL;
  }
  struct command_line line = {argc, argv};
  lua_pushcfunction(L, add_traceback);
  lua_pushcfunction(L, run_main);
  lua_pushlightuserdata(L, &line);
  int status = EXIT_INTERNAL;
  if (lua_pcall(L, 1, 1, 1) == LUA_OK)
    status = (int)lua_tointeger(L, -1);
  else
    fprintf(stderr, "olivares: this is a fault of the program, please report it (internal)\n%s\n", lua_tostring(L, -1));
  lua_close(L);
  return status;
}
