// SPDX-License-Identifier: Apache-2.0
// olivares.term: the terminal the CLI talks to, if it is one.
//   term.is_tty("stdin"|"stdout"|"stderr")
//   term.width(default|nil)    columns of standard output; $COLUMNS, else the default (100), when it is no terminal
//   term.ask_secret(prompt)    a line typed without echo | nil, failure
#include <lauxlib.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "app/lua_buf.h"
#include "app/lua_fail.h"
#include "app/lua_modules.h"
#include "app/lua_prompt.h"

enum { WIDTH_DEFAULT = 100, WIDTH_MIN = 20, WIDTH_MAX = 10000, SECRET_MAX_BYTES = 1024 };

static int term_is_tty(lua_State *L) {
  static const char *const names[] = {"stdin", "stdout", "stderr", NULL};
  static const int fds[] = {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO};
  lua_pushboolean(L, isatty(fds[luaL_checkoption(L, 1, NULL, names)]));
  return 1;
}

static int term_width(lua_State *L) {
  struct winsize size = {0};
  int64_t columns = 0, otherwise = luaL_optinteger(L, 1, WIDTH_DEFAULT);
  const char *named = getenv("COLUMNS");
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
    columns = size.ws_col;
  else if (!named || !str_int(str_c(named), &columns) || columns <= 0)
    columns = otherwise;
  if (columns < WIDTH_MIN) columns = WIDTH_MIN;
  if (columns > WIDTH_MAX) columns = WIDTH_MAX;
  lua_pushinteger(L, columns);
  return 1;
}

static int term_ask_secret(lua_State *L) {
  const char *prompt = luaL_checkstring(L, 1);
  struct buf *line = lua_buf_new(L, SECRET_MAX_BYTES);
  struct err err = {0};
  if (!prompt_secret(prompt, line, &err)) return lua_fail_push(L, &err);
  lua_buf_push(L, line);
  return 1;
}

int lua_open_term(lua_State *L) {
  static const luaL_Reg functions[] = {
      {"is_tty", term_is_tty},
      {"width", term_width},
      {"ask_secret", term_ask_secret},
      {NULL, NULL},
  };
  luaL_newlib(L, functions);
  return 1;
}
