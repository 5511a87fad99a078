// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the tests of executions share beyond the bench: a job as the flows start one, what it said, and what became of
// it in the store.

#include "sandbox/job.h"
#include "sandbox/test_sandbox.h"

/// Turns the loop until the condition holds.
#define UNTIL(b, condition)                                                                                            \
  do {                                                                                                                 \
    while (!(condition)) loop_turn((b)->loop, true);                                                                   \
  } while (0)
#define SETTLE(b) UNTIL(b, store_idle((b)->store) && sandbox_settled((b)->sandbox))

/// What a job, or a flow over one, said.
struct said {
  struct bench *b;
  int announced, ended, failed;
  struct run run; // as given last; text in the bench's arena
  struct err err;
};

static inline void said_run(struct said *said, const struct run *run) {
  said->run = *run;
  run_keep_texts(&said->run, said->b->arena);
}

static inline void said_announced(void *ctx, const struct run *run) {
  struct said *said = ctx;
  said->announced++;
  said_run(said, run);
}

static inline void said_ended(void *ctx, const struct run *run, const struct err *err) {
  struct said *said = ctx;
  assert_true((run == NULL) != (err == NULL));
  if (run) {
    said->ended++;
    said_run(said, run);
  } else {
    said->failed++;
    said->err = *err;
  }
}

/// An execution of `plan` by the fake. `said` is cleared.
static inline struct job_config job_of_fake(struct bench *b, struct plan *plan, bool announce, struct said *said) {
  *said = (struct said){.b = b};
  return (struct job_config){
      .run = {.tenant = b->tenant,
              .kind = RUN_SCENARIO,
              .scenario = b->other_tenant, // any id: nothing here asks for the scenario
              .scenario_revision = 3,
              .subject_ref = STR("agent:bench"),
              .runner = STR("fake"),
              .launched_by = BENCH_ACTOR},
      .plan = plan,
      .runner = &b->fake.port,
      .announce = announce,
      .announced = said_announced,
      .ended = said_ended,
      .ctx = said,
  };
}

static inline void start_job(struct bench *b, int steps, bool announce, struct said *said) {
  struct plan *plan = bench_plan(b, steps);
  struct job_config config = job_of_fake(b, plan, announce, said);
  job_start(b->sandbox, &config);
  plan_unref(plan);
}

/// The run as it is in the store now.
static inline struct run stored_run(struct bench *b, struct id id) {
  struct run run = {0};
  bool found = false;
  CHECK_OK(b, run_get(store_reader(b->store), b->arena, b->tenant, id, &run, &found, &b->err));
  assert_true(found);
  return run;
}

/// Operations that the store has applied since it was opened.
static inline uint64_t applied_ops(struct bench *b) {
  struct store_stats stats;
  store_stats(b->store, &stats);
  return stats.ops;
}

static inline int64_t stored_outputs(struct bench *b, struct id run) {
  return bench_int(b, "SELECT COUNT(*) FROM outputs WHERE run_id = ?1", run);
}

/// The store refuses `what` ("INSERT ON outputs") until it is told to take it again.
static inline void refuse(struct bench *b, const char *what) {
  char sql[256];
  snprintf(sql, sizeof sql, "CREATE TRIGGER refuse BEFORE %s BEGIN SELECT RAISE(ABORT, 'refused by the test'); END",
           what);
  bench_do_sql(b, sql, (struct id){0});
}

static inline void take_again(struct bench *b) {
  bench_do_sql(b, "DROP TRIGGER refuse", (struct id){0});
}
