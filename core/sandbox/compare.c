// SPDX-License-Identifier: Apache-2.0
// Compares two arms: launches those that are not stored runs, waits for both to be recorded, asks whether they can be
// compared at all, and only then the rule. The comparison is recorded after its runs, so it never names a run that does
// not exist.
#include <stdio.h>

#include "base/buf.h"
#include "base/json.h"
#include "base/mem.h"
#include "sandbox/arm.h"
#include "sandbox/comparison.h"
#include "sandbox/differences.h"
#include "sandbox/flows.h"
#include "sandbox/sandbox_private.h"

enum { DIFFERENCES_MAX_BYTES = 32 * 1024 * 1024 };
enum { BASELINE, CANDIDATE, ARMS };

struct comparing {
  struct store_op op;
  struct sandbox *sandbox;
  struct arena *arena;
  struct compare_request request; // text in arena
  struct run arms[ARMS];
  int waiting;
  struct err err; // an arm could not be recorded
  struct comparison comparison;
  void (*done)(void *ctx, const struct comparison *comparison, const struct err *err);
  void *ctx;
};

static void finish(struct comparing *c, const struct err *err) {
  c->done(c->ctx, err ? NULL : &c->comparison, err);
  arena_free(c->arena);
  free(c);
}

// ---- comparable? ----

static bool read_steps(struct comparing *c, const struct run *run, json_t **ret_spec, struct err *err) {
  struct str canonical;
  return run_get_spec(store_reader(c->sandbox->config.store), c->arena, run->tenant, &run->spec_hash, &canonical,
                      err) &&
         json_read(canonical, ret_spec, err);
}

/// Says in `*ret_why` why the arms can't be compared; leaves it absent when they can.
static bool comparable(struct comparing *c, struct str *ret_why, struct err *err) {
  const struct run *b = &c->arms[BASELINE], *n = &c->arms[CANDIDATE];
  if (!id_eq(b->scenario, n->scenario)) {
    *ret_why = STR("The arms are runs of different scenarios.");
    return true;
  }
  if (!str_eq(b->runner, n->runner)) {
    *ret_why = arena_printf(c->arena, "The arms ran in different runners: %.*s and %.*s.", STR_ARG(b->runner),
                            STR_ARG(n->runner));
    return true;
  }
  if (digest_eq(&b->spec_hash, &n->spec_hash)) return true;
  AUTO(json_auto_decref) json_t *b_spec = NULL;
  AUTO(json_auto_decref) json_t *n_spec = NULL;
  if (!read_steps(c, b, &b_spec, err) || !read_steps(c, n, &n_spec, err)) return false;
  if (!json_equal(json_object_get(b_spec, "steps"), json_object_get(n_spec, "steps")))
    *ret_why = STR("The arms ran different steps.");
  return true;
}

static bool write_differences(struct comparing *c, struct err *err) {
  const struct run *b = &c->arms[BASELINE], *n = &c->arms[CANDIDATE];
  c->comparison.differences = STR("[]");
  bool same = b->has_outputs_hash && n->has_outputs_hash && digest_eq(&b->outputs_hash, &n->outputs_hash);
  if (same) return true;
  AUTO(buf_done) struct buf text;
  buf_init(&text, DIFFERENCES_MAX_BYTES);
  if (!differences_write(store_reader(c->sandbox->config.store), b, n, &text, &c->comparison.differences_omitted, err))
    return false;
  if (text.over) return err_set(err, ERR_INTERNAL, "The differences of the arms are too large to be recorded.");
  c->comparison.differences = arena_str(c->arena, buf_str(&text));
  return true;
}

// ---- deciding and recording ----

static bool apply(struct store_op *op, struct store_conn *conn) {
  struct comparing *c = (struct comparing *)op;
  return comparison_insert(conn, &c->comparison, &op->err);
}

static void recorded(struct store_op *op) {
  struct comparing *c = (struct comparing *)op;
  struct err err = op->err;
  finish(c, op->ok ? NULL : &err);
}

static bool decide(struct comparing *c, struct err *err) {
  const struct run *b = &c->arms[BASELINE], *n = &c->arms[CANDIDATE];
  struct str why_not = STR_NONE;
  if (!comparable(c, &why_not, err)) return false;
  struct ruling ruling = verdict_default(b, n, why_not, c->arena);
  int64_t now_ns = clock_wall_ns(&c->sandbox->config.clock);
  c->comparison = (struct comparison){
      .tenant = c->request.tenant,
      .id = id_new(now_ns),
      .scenario = id_eq(b->scenario, n->scenario) ? n->scenario : (struct id){0},
      .session_ref = c->request.session_ref,
      .subject_ref = n->subject_ref,
      .baseline = b->id,
      .candidate = n->id,
      .baseline_variant = b->variant,
      .candidate_variant = n->variant,
      .suite_ref = c->request.suite_ref,
      .has_baseline_score = b->scored,
      .baseline_score = b->score,
      .has_candidate_score = n->scored,
      .candidate_score = n->score,
      .verdict = ruling.verdict,
      .reason = ruling.reason,
      .comparable = !str_present(why_not),
      .rule_ref = STR(VERDICT_DEFAULT_REF),
      .rule_hash = verdict_default_hash(),
      .decided_by = c->request.actor,
      .occurred_at = now_ns,
  };
  return write_differences(c, err);
}

static void arms_are_there(struct comparing *c) {
  if (c->err.code == ERR_NONE && decide(c, &c->err)) {
    c->op = (struct store_op){.apply = apply, .done = recorded};
    store_submit(c->sandbox->config.store, &c->op);
  } else {
    struct err err = c->err;
    finish(c, &err);
  }
}

static void arm_ended(struct comparing *c, int arm, const struct run *run, const struct err *err) {
  if (run) {
    c->arms[arm] = *run;
    run_keep_texts(&c->arms[arm], c->arena);
  } else if (c->err.code == ERR_NONE) {
    c->err = *err;
  }
  if (--c->waiting == 0) arms_are_there(c);
}

static void baseline_ended(void *ctx, const struct run *run, const struct err *err) {
  arm_ended(ctx, BASELINE, run, err);
}
static void candidate_ended(void *ctx, const struct run *run, const struct err *err) {
  arm_ended(ctx, CANDIDATE, run, err);
}

// ---- getting the arms ----

static bool stored_arm(struct comparing *c, struct id run, const char *place, struct run *ret_run, struct err *err) {
  bool found;
  if (!run_get(store_reader(c->sandbox->config.store), c->arena, c->request.tenant, run, ret_run, &found, err))
    return false;
  if (!found) return err_set_at(err, ERR_NOT_FOUND, place, "There is no run with this id.");
  if (ret_run->status == RUN_RUNNING)
    return err_set_at(err, ERR_CONFLICT, place, "The run %s has not ended yet.", id_format(run).text);
  return true;
}

static void from_stored(struct comparing *c) {
  if (!stored_arm(c, c->request.baseline, "baseline_run_ref", &c->arms[BASELINE], &c->err) ||
      !stored_arm(c, c->request.candidate, "candidate_run_ref", &c->arms[CANDIDATE], &c->err)) {
    struct err err = c->err;
    finish(c, &err);
    return;
  }
  arms_are_there(c);
}

static void launch(struct comparing *c, const struct scenario *head, struct plan *plan, struct str variant,
                   job_ended_fn ended) {
  struct job_config config = {
      .run =
          {
              .tenant = c->request.tenant,
              .kind = RUN_COMPARE,
              .scenario = head->id,
              .scenario_revision = head->revision,
              .subject_ref = arm_subject(c->arena, head),
              .variant = variant,
              .suite_ref = c->request.suite_ref,
              .launched_by = c->request.actor,
          },
      .plan = plan,
      .runner = sandbox_runner(c->sandbox, c->request.runner),
      .ended = ended,
      .ctx = c,
  };
  arm_launch(c->sandbox, &config, c->arena);
}

static void from_scenario(struct comparing *c) {
  struct store_conn *conn = store_reader(c->sandbox->config.store);
  struct scenario head;
  struct plan *baseline = NULL, *candidate = NULL;
  struct err err = {0};
  bool ok = arm_scenario(conn, c->arena, c->request.tenant, c->request.scenario, &head, &err) &&
            arm_plan(c->sandbox, conn, c->arena, &head, c->request.baseline_variant, head.seed, &baseline, &err) &&
            arm_plan(c->sandbox, conn, c->arena, &head, c->request.candidate_variant, head.seed, &candidate, &err);
  if (ok) {
    c->waiting = ARMS;
    launch(c, &head, baseline, c->request.baseline_variant, baseline_ended);
    launch(c, &head, candidate, c->request.candidate_variant, candidate_ended);
  }
  plan_unref(baseline);
  plan_unref(candidate);
  if (!ok) finish(c, &err);
}

static void from_session(struct comparing *c) {
  struct replay_request request = {
      .tenant = c->request.tenant,
      .actor = c->request.actor,
      .session_ref = c->request.session_ref,
      .mocks = c->request.mocks,
      .suite_ref = c->request.suite_ref,
      .runner = c->request.runner,
  };
  c->waiting = ARMS;
  struct err err = {0};
  request.variant = c->request.baseline_variant;
  if (!arm_replay(c->sandbox, &request, RUN_COMPARE, baseline_ended, c, &err)) {
    finish(c, &err);
    return;
  }
  request.variant = c->request.candidate_variant;
  if (!arm_replay(c->sandbox, &request, RUN_COMPARE, candidate_ended, c, &err)) arm_ended(c, CANDIDATE, NULL, &err);
}

static void keep_request(struct comparing *c, const struct compare_request *request) {
  c->request = *request;
  struct str *texts[] = {&c->request.actor,
                         &c->request.session_ref,
                         &c->request.baseline_variant,
                         &c->request.candidate_variant,
                         &c->request.suite_ref,
                         &c->request.runner,
                         &c->request.mocks};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    if (str_present(*texts[i])) *texts[i] = arena_str(c->arena, *texts[i]);
}

void compare(struct sandbox *sandbox, const struct compare_request *request,
             void (*done)(void *ctx, const struct comparison *comparison, const struct err *err), void *ctx) {
  struct comparing *c = mem_zalloc(sizeof *c);
  c->sandbox = sandbox;
  c->arena = arena_new();
  c->done = done;
  c->ctx = ctx;
  keep_request(c, request);
  if (!id_is_zero(request->baseline))
    from_stored(c);
  else if (!id_is_zero(request->scenario))
    from_scenario(c);
  else
    from_session(c);
}
