// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

// The event loop: one thread, callbacks that never block. Wraps libev so that nobody else includes it. All functions
// are for the loop's own thread unless they say otherwise.

struct loop;

bool loop_new(struct loop **ret_loop, struct err *err);
void loop_free(struct loop *loop); ///< accepts NULL; stops the worker; handles must be closed before

/// Runs until loop_stop. Callbacks run inside.
void loop_run(struct loop *loop);
/// Runs one turn: waits for at least one event (when `wait`) and handles what is there.
void loop_turn(struct loop *loop, bool wait);
void loop_stop(struct loop *loop);

typedef void (*loop_fn)(void *ctx);

/// Calls `fn` on a later turn, in the order deferred, without letting the loop sleep first. What a deferred call defers
/// runs on the turn after, so input and timers get their share. Never fails.
void loop_defer(struct loop *loop, loop_fn fn, void *ctx);

enum loop_io_events { LOOP_READ = 1, LOOP_WRITE = 2 };
struct loop_io;
typedef void (*loop_io_fn)(void *ctx, int fd, unsigned events);
struct loop_io *loop_io_open(struct loop *loop, int fd, unsigned events, loop_io_fn fn, void *ctx);
void loop_io_close(struct loop_io *io); ///< accepts NULL; the fd stays the caller's

struct loop_timer;
struct loop_timer *loop_timer_open(struct loop *loop, loop_fn fn, void *ctx); ///< created idle
void loop_timer_set(struct loop_timer *timer, int64_t after_ms);              ///< one shot; replaces an earlier setting
void loop_timer_stop(struct loop_timer *timer);
void loop_timer_close(struct loop_timer *timer); ///< accepts NULL

struct loop_signal;
struct loop_signal *loop_signal_open(struct loop *loop, int signo, loop_fn fn, void *ctx);
void loop_signal_close(struct loop_signal *signal); ///< accepts NULL

/// A bell that any thread may ring: `fn` runs on the loop, once for any number of rings before it.
struct loop_bell;
struct loop_bell *loop_bell_open(struct loop *loop, loop_fn fn, void *ctx);
void loop_bell_ring(struct loop_bell *bell);  ///< any thread
void loop_bell_close(struct loop_bell *bell); ///< accepts NULL

/// Work too long for the loop (a password hash, an audit of a long ledger): `work` runs on the one worker thread, then
/// `done` on the loop. False when `LOOP_WORK_MAX` jobs wait already; then neither is called.
enum { LOOP_WORK_MAX = 16 };
bool loop_work(struct loop *loop, loop_fn work, loop_fn done, void *ctx);
