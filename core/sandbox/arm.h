// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sandbox/flows.h"
#include "sandbox/job.h"
#include "sandbox/plan.h"
#include "sandbox/scenario.h"

// What the flows share when they launch a run: one arm of a comparison is launched just like a run on its own. Inside
// this folder only.

/// The scenario a run is asked for. ERR_NOT_FOUND; ERR_CONFLICT when archived.
bool arm_scenario(struct store_conn *conn, struct arena *arena, struct id tenant, struct id scenario,
                  struct scenario *ret_head, struct err *err);
/// Exactly one of `plan` and `err` is given; the plan is borrowed during the call.
typedef void (*plan_done_fn)(void *ctx, struct plan *plan, const struct err *err);
/// Its plan for a variant, at hand or built: now, or later when the scenario is large. `done` is called on the loop.
/// ERR_RATE_LIMITED: too many large ones wait. ERR_UNAVAILABLE: the engine is stopping.
void arm_plan(struct sandbox *sandbox, struct store_conn *conn, const struct scenario *head, struct str variant,
              int64_t seed, plan_done_fn done, void *ctx);
/// "<subject kind>:<scenario name>"
struct str arm_subject(struct arena *arena, const struct scenario *head);
/// Starts the job on config->runner, or records that this backend is not available.
void arm_launch(struct sandbox *sandbox, struct job_config *config, struct arena *arena);
/// `done` is called when the run is recorded as running instead of when it has ended.
void arm_answer_early(struct job_config *config, run_done_fn done, void *ctx);
/// Launches the replay of a session as far as that goes: degraded, `timeline_unavailable`.
bool arm_replay(struct sandbox *sandbox, const struct replay_request *request, enum run_kind kind, run_done_fn done,
                void *ctx, struct err *err);
