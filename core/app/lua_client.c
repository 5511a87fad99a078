// SPDX-License-Identifier: Apache-2.0
// olivares.client: one request, in process or to a server.
//   client.open{server=, token=, data=, note=}  a handle | nil, failure. Without `server` the engine is opened on the
//                                               data directory at the first request.
//   handle:request{method=, path=, body=?, tenant=?, last_event_id=?, on_event=?, guard=?}
//                                               {status=, body=} | nil, failure. on_event(event, data, id) takes the
//                                               stream of an answer that is one.
//   handle:exposes_token()                      whether the token travels in clear text over a network
//   handle:close()
//   client.guard()                              until it is closed an interrupt (Ctrl-C) does not end the process: it
//                                               ends the wait of a request given this guard, with code "interrupted"
// Failures of the way to a server have the code "transport".
#include "app/lua_client.h"

#include <lauxlib.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "app/lua_buf.h"
#include "app/lua_fail.h"
#include "app/lua_modules.h"
#include "base/mem.h"
#include "sys/file.h"

#define CLIENT_TYPE "olivares.client"
#define GUARD_TYPE  "olivares.client.guard"
#define STREAM_TYPE "olivares.client.stream"

struct client {
  struct client_remote *remote; ///< at most one of the two is open
  struct client_local *local;
  char *data, *note; ///< of a local one, until it is opened; may be NULL
  bool has_token, closed;
};

struct guard {
  int fd; ///< -1 when closed
  sigset_t before;
};

static int client_close(lua_State *L) {
  struct client *client = luaL_checkudata(L, 1, CLIENT_TYPE);
  client_remote_close(client->remote);
  client_local_close(client->local);
  free(client->data);
  free(client->note);
  *client = (struct client){.closed = true};
  return 0;
}

static char *own(const char *text) {
  return text ? mem_strdup(str_c(text)) : NULL;
}

static const char *opt_field(lua_State *L, int index, const char *name) {
  lua_getfield(L, index, name);
  const char *text = lua_isnil(L, -1) ? NULL : luaL_checkstring(L, -1); // stays on the stack
  return text;
}

static int client_open(lua_State *L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  const char *server = opt_field(L, 1, "server"), *token = opt_field(L, 1, "token");
  const char *data = opt_field(L, 1, "data"), *note = opt_field(L, 1, "note");
  struct client *client = lua_newuserdatauv(L, sizeof *client, 0);
  *client = (struct client){.has_token = token != NULL};
  luaL_setmetatable(L, CLIENT_TYPE);
  struct err err = {0};
  if (server) {
    if (!client_remote_open(server, token, &client->remote, &err)) return lua_fail_push(L, &err);
  } else {
    client->data = own(data);
    client->note = own(note);
  }
  return 1;
}

static int client_exposes_token(lua_State *L) {
  const struct client *client = luaL_checkudata(L, 1, CLIENT_TYPE);
  bool exposed = false;
  if (client->remote && client->has_token) {
    struct client_address address = client_remote_address(client->remote);
    exposed = !address.loopback && !address.encrypted;
  }
  lua_pushboolean(L, exposed);
  return 1;
}

// An event on its way to Lua. The call is protected, since it is made below libcurl or the loop.
struct delivery {
  lua_State *L;
  int function; ///< stack index of on_event
  bool raised;  ///< the error is on the top of the stack
};

static int push_and_call(lua_State *L) {
  const struct sse_event *event = lua_touserdata(L, 2);
  lua_pushvalue(L, 1);
  lua_pushlstring(L, event->event.data, event->event.len);
  lua_pushlstring(L, event->data.data, event->data.len);
  lua_pushlstring(L, event->id.data, event->id.len);
  lua_call(L, 3, 0);
  return 0;
}

/// sse's on_event. Keeps to lua_checkstack's room made before the request.
static bool deliver_noraise(void *ctx, const struct sse_event *event) {
  struct delivery *delivery = ctx;
  lua_State *L = delivery->L;
  struct sse_event copy = *event;
  lua_pushcfunction(L, push_and_call);
  lua_pushvalue(L, delivery->function);
  lua_pushlightuserdata(L, &copy);
  delivery->raised = lua_pcall(L, 2, 0, 0) != LUA_OK;
  return !delivery->raised;
}

static int stream_gc(lua_State *L) {
  sse_done(luaL_checkudata(L, 1, STREAM_TYPE));
  return 0;
}

static struct str str_field(lua_State *L, int index, const char *name) {
  lua_getfield(L, index, name);
  if (lua_isnil(L, -1)) return STR_NONE;
  struct str text = {0};
  text.data = luaL_checklstring(L, -1, &text.len); // stays on the stack
  return text;
}

static enum http_method method_field(lua_State *L, int index) {
  static const char *const names[] = {"GET", "POST", "PUT", "DELETE", NULL};
  static const enum http_method methods[] = {HTTP_GET, HTTP_POST, HTTP_PUT, HTTP_DELETE};
  lua_getfield(L, index, "method");
  return methods[luaL_checkoption(L, -1, NULL, names)];
}

static int interrupt_field(lua_State *L, int index) {
  lua_getfield(L, index, "guard");
  if (lua_isnil(L, -1)) return -1;
  const struct guard *guard = luaL_checkudata(L, -1, GUARD_TYPE);
  return guard->fd;
}

/// Reads the argument table; its values stay on the stack while the request uses them.
static void read_request(lua_State *L, int index, struct delivery *delivery, struct client_request *request) {
  request->method = method_field(L, index);
  request->path = str_field(L, index, "path");
  request->body = str_field(L, index, "body");
  request->tenant = str_field(L, index, "tenant");
  request->last_event_id = str_field(L, index, "last_event_id");
  request->interrupt_fd = interrupt_field(L, index);
  luaL_argcheck(L, str_present(request->path), index, "a path is needed");
  lua_getfield(L, index, "on_event");
  if (lua_isnil(L, -1)) return;
  delivery->L = L;
  delivery->function = lua_gettop(L);
  request->events = lua_newuserdatauv(L, sizeof *request->events, 0);
  sse_init(request->events, deliver_noraise, delivery);
  luaL_setmetatable(L, STREAM_TYPE);
}

static bool open_local(struct client *client, struct err *err) {
  return client->local || client_local_open(client->data, client->note, &client->local, err);
}

/// Takes the interrupt off the queue, so that the next wait does not end at once.
static void consume_interrupt(int fd) {
  struct signalfd_siginfo info;
  ssize_t got = read(fd, &info, sizeof info);
  (void)got; // non-blocking; there is nothing to do about a missing one
}

static int client_request(lua_State *L) {
  struct client *client = luaL_checkudata(L, 1, CLIENT_TYPE);
  luaL_checktype(L, 2, LUA_TTABLE);
  luaL_argcheck(L, !client->closed, 1, "closed");
  luaL_checkstack(L, 32, "request");
  struct delivery delivery = {0};
  struct client_request request = {0};
  read_request(L, 2, &delivery, &request);

  struct client_answer answer = {.body = lua_buf_new(L, HTTP_REPLY_MAX_BYTES)};
  struct err err = {0};
  if (!client->remote && !open_local(client, &err)) return lua_fail_push(L, &err);
  enum client_end end = client->remote ? client_remote_send(client->remote, &request, &answer, &err)
                                       : client_local_send(client->local, &request, &answer, &err);
  if (delivery.raised) return lua_error(L);
  if (end == CLIENT_INTERRUPTED) {
    consume_interrupt(request.interrupt_fd);
    return lua_fail_push_code(L, "interrupted", "Interrupted.");
  }
  if (end == CLIENT_FAILED && client->remote) return lua_fail_push_code(L, "transport", err.msg);
  if (end == CLIENT_FAILED) return lua_fail_push(L, &err);

  lua_createtable(L, 0, 2);
  lua_pushinteger(L, answer.status);
  lua_setfield(L, -2, "status");
  lua_buf_push(L, answer.body);
  lua_setfield(L, -2, "body");
  return 1;
}

static int guard_close(lua_State *L) {
  struct guard *guard = luaL_checkudata(L, 1, GUARD_TYPE);
  if (guard->fd < 0) return 0;
  fd_close(&guard->fd);
  sigprocmask(SIG_SETMASK, &guard->before, NULL);
  return 0;
}

static int client_guard(lua_State *L) {
  struct guard *guard = lua_newuserdatauv(L, sizeof *guard, 0);
  guard->fd = -1;
  luaL_setmetatable(L, GUARD_TYPE);
  sigset_t interrupt;
  sigemptyset(&interrupt);
  sigaddset(&interrupt, SIGINT);
  int fd = signalfd(-1, &interrupt, SFD_CLOEXEC | SFD_NONBLOCK);
  if (fd >= 0) {
    sigprocmask(SIG_BLOCK, &interrupt, &guard->before);
    guard->fd = fd;
  }
  return 1;
}

static void make_type(lua_State *L, const char *type, const luaL_Reg *methods) {
  luaL_newmetatable(L, type);
  luaL_setfuncs(L, methods, 0);
  lua_pushvalue(L, -1);
  lua_setfield(L, -2, "__index");
  lua_pop(L, 1);
}

int lua_open_client(lua_State *L) {
  static const luaL_Reg functions[] = {{"open", client_open}, {"guard", client_guard}, {NULL, NULL}};
  static const luaL_Reg client_methods[] = {
      {"request", client_request}, {"exposes_token", client_exposes_token},
      {"close", client_close},     {"__close", client_close},
      {"__gc", client_close},      {NULL, NULL},
  };
  static const luaL_Reg guard_methods[] = {{"__close", guard_close}, {"__gc", guard_close}, {NULL, NULL}};
  static const luaL_Reg stream_methods[] = {{"__gc", stream_gc}, {NULL, NULL}};
  make_type(L, CLIENT_TYPE, client_methods);
  make_type(L, GUARD_TYPE, guard_methods);
  make_type(L, STREAM_TYPE, stream_methods);
  luaL_newlib(L, functions);
  return 1;
}
