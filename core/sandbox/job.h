// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdbool.h>

#include "base/err.h"
#include "sandbox/plan.h"
#include "sandbox/run.h"
#include "sandbox/runner.h"
#include "sandbox/sandbox.h"

// One execution under way: drives a backend over a plan, answers its requests, and records the evidence. What is
// recorded and when:
//
// - A job that ends within one batch is recorded in one transaction: run, outputs, spec, ledger.
// - A longer one, or one that nobody waits for, is recorded `running` first; each further batch is a transaction, and
//   the backend waits while one is being written, so that the memory a job holds is bounded by a batch. A reader sees
//   only what is durable.

struct job;

typedef void (*job_announced_fn)(void *ctx, const struct run *run);
/// Exactly one of `run` and `err` is given.
typedef void (*job_ended_fn)(void *ctx, const struct run *run, const struct err *err);

struct job_config {
  struct run run;    ///< what is known before the start; text is copied
  struct plan *plan; ///< referenced
  struct runner *runner;
  bool announce; ///< record it as running before it starts
  /// Called once the run is recorded as running (only with `announce`), then once it is recorded as ended. On failure
  /// `err` is given and no other call follows.
  job_announced_fn announced;
  job_ended_fn ended;
  void *ctx;
};

void job_start(struct sandbox *sandbox, const struct job_config *config);

/// Records a run that is decided already (nothing is executed): status, reason and the rest as in config->run.
void job_record(struct sandbox *sandbox, const struct job_config *config);

/// The execution of a run in this engine until its end is recorded; NULL when there is none. It is found even while
/// its first record is still on the way to the loop: readers of the store may know the run already.
struct job *job_find(struct sandbox *sandbox, struct id tenant, struct id run);

/// Asks the execution to stop. It ends `canceled` with this reason (a code of run_reason_codes), or `error` for
/// `evidence_limit`.
void job_stop(struct job *job, const char *reason_code, const char *message);
/// Calls `ended` too once the end is recorded.
void job_on_end(struct job *job, job_ended_fn ended, void *ctx);

/// Tries again what the store refused.
void job_retry(struct job *job);
bool job_is_stuck(const struct job *job); ///< the store refused its last operation
/// Lets go of a job whose end the store refused: the engine is closing, the next start records it.
void job_abandon(struct job *job);
struct job *job_next(const struct job *job); ///< in the sandbox's list
