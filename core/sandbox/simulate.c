// SPDX-License-Identifier: Apache-2.0
// Runs of a scenario: find it, find or build its plan, choose the backend, hand over to a job. A backend that the host
// can't provide is a recorded run, never another backend.
#include <stdio.h>

#include "base/mem.h"
#include "sandbox/arm.h"
#include "sandbox/flows.h"
#include "sandbox/job.h"
#include "sandbox/sandbox_private.h"

void scenario_keep_plan(struct sandbox *sandbox, const struct scenario *scenario, struct plan *plan) {
  plan_cache_put(sandbox->plans, scenario->id, scenario->revision, STR_NONE, scenario->seed, plan);
}

bool arm_scenario(struct store_conn *conn, struct arena *arena, struct id tenant, struct id scenario,
                  struct scenario *ret_head, struct err *err) {
  bool found;
  if (!scenario_head(conn, arena, tenant, scenario, ret_head, &found, err)) return false;
  if (!found) return err_set(err, ERR_NOT_FOUND, "There is no scenario with this id.");
  if (ret_head->archived)
    return err_set(err, ERR_CONFLICT, "The scenario '%.*s' is archived and does not run; restore it first.",
                   STR_ARG(ret_head->name));
  return true;
}

struct str arm_subject(struct arena *arena, const struct scenario *head) {
  return arena_printf(arena, "%.*s:%.*s", STR_ARG(head->subject_kind), STR_ARG(head->name));
}

void arm_launch(struct sandbox *sandbox, struct job_config *config, struct arena *arena) {
  const struct runner_report *report = config->runner->preflight(config->runner);
  config->run.runner = str_c(config->runner->name);
  if (report->available) {
    job_start(sandbox, config);
    return;
  }
  config->run.status = RUN_ERROR;
  config->run.isolated = false;
  config->run.destroyed = true;
  config->run.reason =
      (struct reason){.code = "isolation_unavailable",
                      .message = arena_printf(
                          arena, "The runner '%s' is not available: missing %s. %s No other runner was used instead.",
                          config->runner->name, report->missing, report->reason)};
  job_record(sandbox, config);
}

struct simulating {
  struct sandbox *sandbox;
  struct arena *arena;
  struct simulate_request request; // text in arena
  struct scenario head;
  run_done_fn done;
  void *ctx;
};

static void simulate_end(struct simulating *s, const struct err *err) {
  if (err) s->done(s->ctx, NULL, err);
  arena_free(s->arena);
  free(s);
}

static void keep_request(struct simulating *s, const struct simulate_request *request) {
  s->request = *request;
  struct str *texts[] = {&s->request.actor, &s->request.variant, &s->request.suite_ref, &s->request.runner};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    if (str_present(*texts[i])) *texts[i] = arena_str(s->arena, *texts[i]);
}

static void planned(void *ctx, struct plan *plan, const struct err *err) {
  struct simulating *s = ctx;
  if (err) {
    simulate_end(s, err);
    return;
  }
  const struct simulate_request *request = &s->request;
  struct job_config config = {
      .run =
          {
              .tenant = request->tenant,
              .kind = RUN_SCENARIO,
              .scenario = s->head.id,
              .scenario_revision = s->head.revision,
              .subject_ref = arm_subject(s->arena, &s->head),
              .variant = request->variant,
              .suite_ref = request->suite_ref,
              .launched_by = request->actor,
          },
      .plan = plan,
      .runner = sandbox_runner(s->sandbox, request->runner),
      .announce = !request->wait,
      .ctx = s->ctx,
  };
  // Who does not wait is answered when the run is recorded as running; a failure before that still reaches them.
  if (request->wait)
    config.ended = s->done;
  else
    arm_answer_early(&config, s->done, s->ctx);
  arm_launch(s->sandbox, &config, s->arena);
  simulate_end(s, NULL);
}

void simulate(struct sandbox *sandbox, const struct simulate_request *request, run_done_fn done, void *ctx) {
  struct simulating *s = mem_zalloc(sizeof *s);
  *s = (struct simulating){.sandbox = sandbox, .arena = arena_new(), .done = done, .ctx = ctx};
  keep_request(s, request);
  struct store_conn *conn = store_reader(sandbox->config.store);
  struct err err = {0};
  if (!arm_scenario(conn, s->arena, request->tenant, request->scenario, &s->head, &err))
    simulate_end(s, &err);
  else
    arm_plan(sandbox, conn, &s->head, s->request.variant, request->has_seed ? request->seed : s->head.seed, planned, s);
}

// ---- answering before the end ----

struct early {
  run_done_fn done; // NULL once called
  void *ctx;
};

static void early_announced(void *ctx, const struct run *run) {
  struct early *early = ctx;
  run_done_fn done = early->done;
  early->done = NULL;
  done(early->ctx, run, NULL);
}

static void early_ended(void *ctx, const struct run *run, const struct err *err) {
  struct early *early = ctx;
  if (early->done) early->done(early->ctx, run, err);
  free(early);
}

void arm_answer_early(struct job_config *config, run_done_fn done, void *ctx) {
  struct early *early = mem_zalloc(sizeof *early);
  *early = (struct early){done, ctx};
  config->announced = early_announced;
  config->ended = early_ended;
  config->ctx = early;
}
