// SPDX-License-Identifier: Apache-2.0
// Replay of a historical session. This engine has no history source, so there is no timeline to replay, and none is
// made up: the run is recorded with zero steps and the reason. The mocks it was given are part of its spec all the
// same.
#include "base/mem.h"
#include "sandbox/arm.h"
#include "sandbox/flows.h"

bool arm_replay(struct sandbox *sandbox, const struct replay_request *request, enum run_kind kind, run_done_fn done,
                void *ctx, struct err *err) {
  AUTO(arena_auto_free) struct arena *arena = arena_new();
  struct plan *plan;
  if (!plan_from_json(STR("[]"), request->mocks, 0, &plan, err)) return false;
  struct job_config config = {
      .run =
          {
              .tenant = request->tenant,
              .kind = kind,
              .subject_ref = arena_printf(arena, "session:%.*s", STR_ARG(request->session_ref)),
              .variant = request->variant,
              .suite_ref = request->suite_ref,
              .runner = str_c(sandbox_runner(sandbox, request->runner)->name),
              .launched_by = request->actor,
              .status = RUN_DEGRADED,
              .destroyed = true,
              .reason = {"timeline_unavailable",
                         arena_printf(
                             arena,
                             "The timeline of session '%.*s' can't be rebuilt: this engine has no history source. "
                             "Nothing was executed.",
                             STR_ARG(request->session_ref))},
          },
      .plan = plan,
      .ended = done,
      .ctx = ctx,
  };
  job_record(sandbox, &config);
  plan_unref(plan);
  return true;
}

void replay(struct sandbox *sandbox, const struct replay_request *request, run_done_fn done, void *ctx) {
  struct err err = {0};
  if (!arm_replay(sandbox, request, RUN_REPLAY, done, ctx, &err)) done(ctx, NULL, &err);
}
