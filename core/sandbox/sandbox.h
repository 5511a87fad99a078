// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/id.h"
#include "sandbox/runner.h"
#include "store/store.h"

/// The module: scenarios, runs, outputs, comparisons, and the flows over them. One instance an engine.
struct sandbox;

struct sandbox_config {
  struct store *store;
  struct clock clock;
  /// Runs `work` on a worker thread, then `done` on the loop. False when too much waits already: neither is called.
  bool (*work)(void *work_ctx, void (*work)(void *ctx), void (*done)(void *ctx), void *ctx);
  void *work_ctx;
  struct runner *const *runners; ///< borrowed; the first is the default
  size_t runner_count;
};

/// This layer's tables; versions 2 and 3, after access's.
extern const struct store_migration sandbox_migration, sandbox_migration_resolution;

struct sandbox *sandbox_new(const struct sandbox_config *config);
void sandbox_free(struct sandbox *sandbox); ///< accepts NULL; no run may be under way

/// Ends, in one operation, the runs that an engine which is gone left `running`: status `error`, reason
/// `engine_restarted`, totals from the outputs that are stored. `done` runs on the loop.
void sandbox_sweep(struct sandbox *sandbox, void (*done)(void *ctx, int64_t swept, const struct err *err), void *ctx);

size_t
sandbox_under_way(const struct sandbox *sandbox); ///< executions in this engine that have not been recorded as ended

/// Whether nothing more will come of the executions: none is left, or only such whose record the store has refused. A
/// verification counts until it has answered.
bool sandbox_settled(const struct sandbox *sandbox);

/// Stops every execution with reason `engine_stopping`; each is recorded as `canceled`. What the store has refused is
/// tried once more. A verification answers ERR_UNAVAILABLE.
void sandbox_stop_all(struct sandbox *sandbox);

/// Tries again to record the ends that the store could not take (full disk). For a timer.
void sandbox_retry(struct sandbox *sandbox);

struct runner *sandbox_runner(struct sandbox *sandbox,
                              struct str name); ///< NULL when not known; absent name = the default
size_t sandbox_runner_count(const struct sandbox *sandbox);
struct runner *sandbox_runner_at(struct sandbox *sandbox, size_t index);

/// Somebody who wants to know when there is more of a run to read: outputs or its end became durable.
struct run_watch {
  struct id run;
  void (*wake)(struct run_watch *watch);
  struct run_watch *next; // the sandbox's list
};
void sandbox_watch(struct sandbox *sandbox, struct run_watch *watch);   ///< embedded; stays until unwatched
void sandbox_unwatch(struct sandbox *sandbox, struct run_watch *watch); ///< harmless when not watching
