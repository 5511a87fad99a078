// SPDX-License-Identifier: Apache-2.0
// Requests in process: the engine is opened on the data directory and its loop turned until the answer is there.
// A call that was given up stays known until the engine is closed, since its answer may still come.
#include <stdlib.h>

#include "app/engine.h"
#include "app/lua_client.h"
#include "base/mem.h"
#include "http/direct.h"
#include "loop/loop.h"

struct local_call {
  struct local_call *next_given_up;
  struct client_answer *answer; ///< NULL once given up
  struct sse *events;           ///< likewise
  bool ended, interrupted;
};

struct client_local {
  struct engine *engine;
  struct http_handler handler;
  struct local_call *given_up;
};

bool client_local_open(const char *data_dir, const char *note, struct client_local **ret_client, struct err *err) {
  struct engine_config config = {.data_dir = data_dir, .note = note};
  struct engine *engine = NULL;
  if (!engine_open(&config, &engine, err)) return false;
  struct client_local *client = mem_zalloc(sizeof *client);
  client->engine = engine;
  client->handler = engine_handler(engine);
  *ret_client = client;
  return true;
}

void client_local_close(struct client_local *client) {
  if (!client) return;
  engine_close(client->engine);
  while (client->given_up) {
    struct local_call *call = client->given_up;
    client->given_up = call->next_given_up;
    free(call);
  }
  free(client);
}

static void take_event_bytes(void *ctx, struct str bytes) {
  struct local_call *call = ctx;
  if (call->events) sse_feed(call->events, bytes);
}

static void take_end(void *ctx, unsigned status, struct str body) {
  struct local_call *call = ctx;
  call->ended = true;
  if (!call->answer) return;
  call->answer->status = status;
  buf_add_str(call->answer->body, body);
}

static void take_interrupt(void *ctx, int fd, unsigned events) {
  (void)fd;
  (void)events;
  struct local_call *call = ctx;
  call->interrupted = true;
}

static void turn_until_over(struct client_local *client, const struct client_request *request,
                            struct local_call *call) {
  struct loop *loop = engine_loop(client->engine);
  struct loop_io *interrupt = NULL;
  if (request->interrupt_fd >= 0)
    interrupt = loop_io_open(loop, request->interrupt_fd, LOOP_READ, take_interrupt, call);
  while (!call->ended && !call->interrupted && !(call->events && call->events->ended)) loop_turn(loop, true);
  loop_io_close(interrupt);
}

enum client_end client_local_send(struct client_local *client, const struct client_request *request,
                                  struct client_answer *answer, struct err *err) {
  struct local_call *call = mem_zalloc(sizeof *call);
  call->answer = answer;
  call->events = request->events;
  struct http_direct direct = {
      .method = request->method,
      .path_and_query = request->path,
      .body = request->body,
      .tenant = request->tenant,
      .last_event_id = request->last_event_id,
      .on_event_bytes = request->events ? take_event_bytes : NULL,
      .on_end = take_end,
      .ctx = call,
  };
  http_direct_send(&client->handler, &direct);
  turn_until_over(client, request, call);

  enum client_end end = CLIENT_ANSWERED;
  if (!call->ended && call->interrupted) {
    end = CLIENT_INTERRUPTED;
  } else if (!call->ended) {
    err_set(err, ERR_INTERNAL, "The event stream could not be read to its end.");
    end = CLIENT_FAILED;
  }
  if (call->ended) {
    free(call);
  } else {
    call->answer = NULL;
    call->events = NULL;
    call->next_given_up = client->given_up;
    client->given_up = call;
  }
  return end;
}
