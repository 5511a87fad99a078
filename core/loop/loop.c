// SPDX-License-Identifier: Apache-2.0
// The event loop over libev, each on a loop object of its own (never libev's default loop), so that tests and the CLI
// can have several. A handle embeds its watcher; callbacks may close any handle, their own included, since libev
// forgets pending events of a stopped watcher.
//
// Deferred calls: one turn is prepare → poll → check. Prepare notes how many calls are queued; while there are any, an
// idle watcher keeps the poll from sleeping; check then runs exactly those noted. What a call or an event defers in
// between waits for the next turn, so that a chain of deferred calls can't starve input and timers.
//
// Work off the loop's thread is in loop_worker.c.
#include "loop/loop.h"

#include <ev.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "loop/loop_worker.h"

struct deferred {
  loop_fn fn;
  void *ctx;
};

struct loop {
  struct ev_loop *ev;
  struct ev_prepare prepare;
  struct ev_check check;
  struct ev_idle no_sleep;
  struct deferred *queue; // entries [head, tail) wait
  size_t head, tail, allocated;
  size_t noted; // entries [head, noted) belong to this turn
  bool stopping;
  struct loop_worker *worker; // made by the first loop_work
};

static void on_prepare(struct ev_loop *ev, struct ev_prepare *watcher, int events) {
  (void)events;
  struct loop *loop = watcher->data;
  loop->noted = loop->tail;
  if (loop->noted > loop->head) {
    ev_idle_start(ev, &loop->no_sleep);
  } else {
    ev_idle_stop(ev, &loop->no_sleep);
  }
}

static void on_check(struct ev_loop *ev, struct ev_check *watcher, int events) {
  (void)ev, (void)events;
  struct loop *loop = watcher->data;
  while (loop->head < loop->noted) {
    struct deferred call = loop->queue[loop->head++];
    call.fn(call.ctx);
  }
  if (loop->head == loop->tail) loop->head = loop->tail = loop->noted = 0;
}

static void on_idle(struct ev_loop *ev, struct ev_idle *watcher, int events) {
  (void)ev, (void)watcher, (void)events;
}

bool loop_new(struct loop **ret_loop, struct err *err) {
  struct ev_loop *ev = ev_loop_new(EVFLAG_NOENV | EVBACKEND_EPOLL);
  if (ev == NULL) return err_set(err, ERR_UNAVAILABLE, "can't start an event loop: epoll is not available");
  struct loop *loop = mem_zalloc(sizeof *loop);
  loop->ev = ev;
  ev_prepare_init(&loop->prepare, on_prepare);
  ev_check_init(&loop->check, on_check);
  ev_idle_init(&loop->no_sleep, on_idle);
  loop->prepare.data = loop->check.data = loop;
  ev_prepare_start(ev, &loop->prepare);
  ev_check_start(ev, &loop->check);
  *ret_loop = loop;
  return true;
}

void loop_free(struct loop *loop) {
  if (loop == NULL) return;
  loop_worker_free(loop->worker);
  ev_loop_destroy(loop->ev);
  free(loop->queue);
  free(loop);
}

void loop_run(struct loop *loop) {
  while (!loop->stopping) ev_run(loop->ev, 0);
  loop->stopping = false;
}

void loop_turn(struct loop *loop, bool wait) {
  ev_run(loop->ev, wait ? EVRUN_ONCE : EVRUN_NOWAIT);
}

void loop_stop(struct loop *loop) {
  loop->stopping = true;
  ev_break(loop->ev, EVBREAK_ONE);
}

static void make_room(struct loop *loop) {
  if (loop->head >= 64 && loop->head >= loop->allocated / 2) {
    // Only between turns or from a running call: [head, tail) moves to the front, `noted` along with it.
    memmove(loop->queue, loop->queue + loop->head, (loop->tail - loop->head) * sizeof *loop->queue);
    loop->tail -= loop->head;
    loop->noted = loop->noted > loop->head ? loop->noted - loop->head : 0;
    loop->head = 0;
    return;
  }
  loop->allocated = loop->allocated == 0 ? 64 : loop->allocated * 2;
  loop->queue = mem_realloc(loop->queue, loop->allocated * sizeof *loop->queue);
}

void loop_defer(struct loop *loop, loop_fn fn, void *ctx) {
  if (loop->tail == loop->allocated) make_room(loop);
  loop->queue[loop->tail++] = (struct deferred){fn, ctx};
}

struct loop_io {
  struct ev_io watcher;
  struct loop *loop;
  loop_io_fn fn;
  void *ctx;
};

static void on_io(struct ev_loop *ev, struct ev_io *watcher, int events) {
  (void)ev;
  struct loop_io *io = watcher->data;
  unsigned seen = (events & EV_READ ? LOOP_READ : 0U) | (events & EV_WRITE ? LOOP_WRITE : 0U);
  io->fn(io->ctx, watcher->fd, seen);
}

struct loop_io *loop_io_open(struct loop *loop, int fd, unsigned events, loop_io_fn fn, void *ctx) {
  struct loop_io *io = mem_zalloc(sizeof *io);
  io->loop = loop;
  io->fn = fn;
  io->ctx = ctx;
  ev_io_init(&io->watcher, on_io, fd, (events & LOOP_READ ? EV_READ : 0) | (events & LOOP_WRITE ? EV_WRITE : 0));
  io->watcher.data = io;
  ev_io_start(loop->ev, &io->watcher);
  return io;
}

void loop_io_close(struct loop_io *io) {
  if (io == NULL) return;
  ev_io_stop(io->loop->ev, &io->watcher);
  free(io);
}

struct loop_timer {
  struct ev_timer watcher;
  struct loop *loop;
  loop_fn fn;
  void *ctx;
};

static void on_timer(struct ev_loop *ev, struct ev_timer *watcher, int events) {
  (void)ev, (void)events;
  struct loop_timer *timer = watcher->data;
  timer->fn(timer->ctx);
}

struct loop_timer *loop_timer_open(struct loop *loop, loop_fn fn, void *ctx) {
  struct loop_timer *timer = mem_zalloc(sizeof *timer);
  timer->loop = loop;
  timer->fn = fn;
  timer->ctx = ctx;
  ev_timer_init(&timer->watcher, on_timer, 0., 0.);
  timer->watcher.data = timer;
  return timer;
}

void loop_timer_set(struct loop_timer *timer, int64_t after_ms) {
  struct ev_loop *ev = timer->loop->ev;
  ev_timer_stop(ev, &timer->watcher);
  // libev counts from the start of the turn; we mean from now.
  ev_now_update(ev);
  ev_timer_set(&timer->watcher, after_ms > 0 ? (double)after_ms / 1000. : 0., 0.);
  ev_timer_start(ev, &timer->watcher);
}

void loop_timer_stop(struct loop_timer *timer) {
  ev_timer_stop(timer->loop->ev, &timer->watcher);
}

void loop_timer_close(struct loop_timer *timer) {
  if (timer == NULL) return;
  loop_timer_stop(timer);
  free(timer);
}

struct loop_signal {
  struct ev_signal watcher;
  struct loop *loop;
  loop_fn fn;
  void *ctx;
};

static void on_signal(struct ev_loop *ev, struct ev_signal *watcher, int events) {
  (void)ev, (void)events;
  struct loop_signal *handle = watcher->data;
  handle->fn(handle->ctx);
}

struct loop_signal *loop_signal_open(struct loop *loop, int signo, loop_fn fn, void *ctx) {
  struct loop_signal *handle = mem_zalloc(sizeof *handle);
  handle->loop = loop;
  handle->fn = fn;
  handle->ctx = ctx;
  ev_signal_init(&handle->watcher, on_signal, signo);
  handle->watcher.data = handle;
  ev_signal_start(loop->ev, &handle->watcher);
  return handle;
}

void loop_signal_close(struct loop_signal *handle) {
  if (handle == NULL) return;
  ev_signal_stop(handle->loop->ev, &handle->watcher);
  free(handle);
}

struct loop_bell {
  struct ev_async watcher;
  struct loop *loop;
  loop_fn fn;
  void *ctx;
};

static void on_bell(struct ev_loop *ev, struct ev_async *watcher, int events) {
  (void)ev, (void)events;
  struct loop_bell *bell = watcher->data;
  bell->fn(bell->ctx);
}

struct loop_bell *loop_bell_open(struct loop *loop, loop_fn fn, void *ctx) {
  struct loop_bell *bell = mem_zalloc(sizeof *bell);
  bell->loop = loop;
  bell->fn = fn;
  bell->ctx = ctx;
  ev_async_init(&bell->watcher, on_bell);
  bell->watcher.data = bell;
  ev_async_start(loop->ev, &bell->watcher);
  return bell;
}

void loop_bell_ring(struct loop_bell *bell) {
  ev_async_send(bell->loop->ev, &bell->watcher);
}

void loop_bell_close(struct loop_bell *bell) {
  if (bell == NULL) return;
  ev_async_stop(bell->loop->ev, &bell->watcher);
  free(bell);
}

bool loop_work(struct loop *loop, loop_fn work, loop_fn done, void *ctx) {
  if (loop->worker == NULL) loop->worker = loop_worker_new(loop);
  return loop_worker_add(loop->worker, work, done, ctx);
}
