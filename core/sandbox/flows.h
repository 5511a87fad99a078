// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/id.h"
#include "base/json_writer.h"
#include "base/str.h"
#include "sandbox/comparison.h"
#include "sandbox/plan.h"
#include "sandbox/run.h"
#include "sandbox/sandbox.h"
#include "sandbox/scenario.h"

// The flows: what the module does, each started on the loop and answered on the loop once it is durable. Request text
// is copied.

/// Keeps the plan of a scenario (its id and revision are set), so that its first run need not build it again.
void scenario_keep_plan(struct sandbox *sandbox, const struct scenario *scenario, struct plan *plan);

/// Exactly one of `run` and `err` is given. `run` is borrowed during the call.
typedef void (*run_done_fn)(void *ctx, const struct run *run, const struct err *err);

struct simulate_request {
  struct id tenant, scenario;
  struct str actor;
  struct str variant, suite_ref; ///< or absent
  struct str runner;             ///< or absent for the default; must be known (sandbox_runner)
  bool has_seed;
  int64_t seed;
  bool wait; ///< false: done as soon as the run is recorded as running
};
/// ERR_NOT_FOUND: no such scenario. ERR_CONFLICT: archived.
void simulate(struct sandbox *sandbox, const struct simulate_request *request, run_done_fn done, void *ctx);

struct replay_request {
  struct id tenant;
  struct str actor;
  struct str session_ref;
  struct str mocks; ///< JSON array as stored (scenario_read), "[]" for none
  struct str variant, suite_ref, runner;
};
/// This engine has no history source: the run is recorded `degraded`, zero steps, reason `timeline_unavailable`.
void replay(struct sandbox *sandbox, const struct replay_request *request, run_done_fn done, void *ctx);

/// Stops a run that is under way and answers once its end is recorded. ERR_NOT_FOUND; ERR_CONFLICT: it ended otherwise
/// already.
void cancel(struct sandbox *sandbox, struct id tenant, struct id run, struct str actor, run_done_fn done, void *ctx);

struct verification {
  bool identical;
  int64_t steps; ///< compared
  struct digest recorded_hash, again_hash;
  int64_t first_seq; ///< of the first difference
  const char
      *first_field;     ///< "step_key", "output", "mock_hit", "missing", "extra", "outputs_hash"; NULL when identical
  struct str first_key; ///< its step key
  struct str recorded, again; ///< both sides, cut with a mark
};
/// Runs the spec of a stored run again, recording nothing but a ledger entry. ERR_NOT_FOUND; ERR_CONFLICT: the run did
/// not execute.
void verify(struct sandbox *sandbox, struct id tenant, struct id run, struct str actor,
            void (*done)(void *ctx, const struct verification *result, const struct err *err), void *ctx);

struct compare_request {
  struct id tenant;
  struct str actor;
  struct id scenario;            ///< or zero
  struct str session_ref;        ///< or absent
  struct id baseline, candidate; ///< stored runs, or zero
  struct str baseline_variant, candidate_variant, suite_ref, runner;
  struct str baseline_mocks, candidate_mocks; ///< with session_ref: JSON arrays as stored
  bool self_check;                            ///< the arms are identical, and are meant to be
};
/// Runs both arms where they are not stored runs, then decides by the shipped default rule. ERR_BAD_REQUEST: the arms
/// are identical (same variant, same mocks, same run) and no self-check was asked for, or the other way round.
void compare(struct sandbox *sandbox, const struct compare_request *request,
             void (*done)(void *ctx, const struct comparison *comparison, const struct err *err), void *ctx);

enum { GENERATE_MAX = 100, GENERATE_DEFAULT = 10 };
/// Writes the samples array [{"key":"sample-0001","input":"…"}] as a value. Only {{index}} (from 1) and
/// {{subject_kind}} are substituted, in one pass. Absent texts and count 0 mean the defaults. ERR_BAD_REQUEST with the
/// place when anything is over its bound; then nothing is written that counts.
bool generate(struct str subject_kind, int64_t count, struct str seed, struct buf *out_json, int64_t *ret_count,
              struct err *err);
