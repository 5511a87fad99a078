// SPDX-License-Identifier: Apache-2.0
// The engine behind a socket. Ending: the first signal stops accepting and lets everything under way come to its end
// (requests, and runs that somebody may be watching); after DRAIN_MS the runs are stopped and recorded as such; the
// second signal does not wait for that.
#include "app/serve.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "app/engine.h"
#include "base/log.h"
#include "base/mem.h"
#include "http/server.h"

enum {
  EXIT_SERVER = 6,
  DRAIN_MS = 10000,
  DRAIN_LOOK_MS = 20, // between two looks whether all is done
  RETRY_MS = 2000,    // between two tries to record an end that the store refused
};

struct serving {
  struct engine *engine;
  struct http_server *server;
  struct loop *loop;
  struct loop_signal *term, *interrupt;
  struct loop_timer *look, *deadline, *retry;
  bool draining, drained;
  bool unwritable; // as last logged
};

static void look(void *ctx) {
  struct serving *s = ctx;
  if (s->drained && sandbox_settled(engine_sandbox(s->engine)))
    loop_stop(s->loop);
  else
    loop_timer_set(s->look, DRAIN_LOOK_MS);
}

static void drained(void *ctx) {
  struct serving *s = ctx;
  s->drained = true;
}

static void deadline(void *ctx) {
  struct serving *s = ctx;
  log_event(LOG_LEVEL_WARN, "serve.cut", "after_ms=%d", DRAIN_MS);
  loop_stop(s->loop);
}

static void on_signal(void *ctx) {
  struct serving *s = ctx;
  if (s->draining) {
    log_event(LOG_LEVEL_WARN, "serve.cut", "reason=second_signal");
    loop_stop(s->loop);
    return;
  }
  s->draining = true;
  log_event(LOG_LEVEL_INFO, "serve.drain", "deadline_ms=%d", DRAIN_MS);
  api_set_draining(engine_api(s->engine));
  http_server_drain(s->server, drained, s);
  loop_timer_set(s->deadline, DRAIN_MS);
  look(s);
}

/// The store says of itself whether it can write; that it can't any more, or can again, is worth a line.
static void watch_store(struct serving *s) {
  struct err why = {0};
  bool writable = store_healthy(engine_store(s->engine), &why);
  if (writable != s->unwritable) return;
  s->unwritable = !writable;
  if (writable)
    log_event(LOG_LEVEL_INFO, "store.writable", "again=true");
  else
    log_event(LOG_LEVEL_ERROR, "store.unwritable", "message=\"%s\"", why.msg);
}

static void retry(void *ctx) {
  struct serving *s = ctx;
  watch_store(s);
  sandbox_retry(engine_sandbox(s->engine));
  loop_timer_set(s->retry, RETRY_MS);
}

static bool announce(struct serving *s, struct err *err) {
  AUTO(mem_auto_free) char *token = NULL;
  if (!engine_setup_token(s->engine, &token, err)) return false;
  const char *address = http_server_address(s->server);
  char note[256];
  snprintf(note, sizeof note, "pid %d, serving http://%s", (int)getpid(), address);
  engine_note(s->engine, note);
  printf("olivares: listening on http://%s\n", address);
  if (token)
    printf("olivares: nobody has set up this engine yet; the one-time setup token is %s\n"
           "olivares: run: olivares --server http://%s setup --email YOU@EXAMPLE --setup-token-file '%s/setup-token'\n",
           token, address, engine_data_dir(s->engine));
  fflush(stdout);
  log_event(LOG_LEVEL_INFO, "serve.listen", "addr=%s data=%s", address, engine_data_dir(s->engine));
  return true;
}

static void run(struct serving *s) {
  s->look = loop_timer_open(s->loop, look, s);
  s->deadline = loop_timer_open(s->loop, deadline, s);
  s->retry = loop_timer_open(s->loop, retry, s);
  loop_timer_set(s->retry, RETRY_MS);
  loop_run(s->loop);
  loop_timer_close(s->retry);
  loop_timer_close(s->deadline);
  loop_timer_close(s->look);
}

/// Before anybody is told the address, since whoever knows it may ask for the end at once.
static void signals_open(struct serving *s) {
  s->term = loop_signal_open(s->loop, SIGTERM, on_signal, s);
  s->interrupt = loop_signal_open(s->loop, SIGINT, on_signal, s);
}

/// From here on the ends of what ran are recorded, and a further signal must not cut that short. So the signals stay
/// blocked, as they are in the other threads anyway.
static void signals_close(struct serving *s) {
  sigset_t ending;
  sigemptyset(&ending);
  sigaddset(&ending, SIGTERM);
  sigaddset(&ending, SIGINT);
  pthread_sigmask(SIG_BLOCK, &ending, NULL);
  loop_signal_close(s->interrupt);
  loop_signal_close(s->term);
}

static bool start(struct serving *s, const struct serve_options *options, struct err *err) {
  const struct engine_config config = {.data_dir = options->data_dir, .note = "serving", .serving = true};
  if (!engine_open(&config, &s->engine, err)) return false;
  s->loop = engine_loop(s->engine);
  signals_open(s);
  const struct http_server_config http = {
      .listen = options->listen ? options->listen : SERVE_DEFAULT_LISTEN,
      .loop = s->loop,
      .handler = engine_handler(s->engine),
  };
  if (!http_server_open(&http, &s->server, err)) return false;
  api_set_server(engine_api(s->engine), s->server);
  return announce(s, err);
}

int serve_run(const struct serve_options *options) {
  signal(SIGPIPE, SIG_IGN); // a client that goes away is an error of one write, not of the process
  struct serving s = {0};
  struct err err = {0};
  bool started = start(&s, options, &err);
  if (started)
    run(&s);
  else
    fprintf(stderr, "olivares: %s (%s)\n", err.msg, err_code_name(err.code));
  signals_close(&s);
  if (s.engine) sandbox_stop_all(engine_sandbox(s.engine));
  http_server_close(s.server);
  engine_close(s.engine);
  if (started) log_event(LOG_LEVEL_INFO, "serve.end", "pid=%d", (int)getpid());
  return started ? EXIT_SUCCESS : EXIT_SERVER;
}
