// SPDX-License-Identifier: Apache-2.0
// Compares two arms: launches those that are not stored runs, waits for both to be recorded, asks whether they can be
// compared at all, and only then the rule. The comparison is recorded after its runs, so it never names a run that does
// not exist.
#include "base/mem.h"
#include "sandbox/arm.h"
#include "sandbox/comparable.h"
#include "sandbox/comparison.h"
#include "sandbox/flows.h"
#include "sandbox/sandbox_private.h"

enum { BASELINE, CANDIDATE, ARMS };

struct comparing {
  struct store_op op;
  struct sandbox *sandbox;
  struct arena *arena;
  struct compare_request request; // text in arena
  struct scenario head;           // of a scenario's comparison
  struct plan *plans[ARMS];
  struct run arms[ARMS];
  int waiting;
  struct err err; // an arm could not be recorded
  struct comparison comparison;
  void (*done)(void *ctx, const struct comparison *comparison, const struct err *err);
  void *ctx;
};

static void finish(struct comparing *c, const struct err *err) {
  c->done(c->ctx, err ? NULL : &c->comparison, err);
  for (int i = 0; i < ARMS; i++) plan_unref(c->plans[i]);
  arena_free(c->arena);
  free(c);
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

static void decide(struct comparing *c, struct str why_not) {
  const struct run *b = &c->arms[BASELINE], *n = &c->arms[CANDIDATE];
  struct ruling ruling = verdict_default(b, n, why_not, c->arena);
  bool unstable = c->request.self_check && run_executed(b) && run_executed(n) && ruling.verdict != VERDICT_UNCHANGED;
  if (unstable)
    ruling = (struct ruling){
        VERDICT_INCONCLUSIVE,
        {"self_check_failed", STR("One and the same arm gave two different results: what it runs is not deterministic, "
                                  "and no comparison with it means anything.")}};
  c->comparison = (struct comparison){
      .tenant = c->request.tenant,
      .scenario = id_eq(b->scenario, n->scenario) ? n->scenario : (struct id){0},
      .session_ref = c->request.session_ref,
      .subject_ref = n->subject_ref,
      .baseline = b->id,
      .candidate = n->id,
      .baseline_variant = b->variant,
      .candidate_variant = n->variant,
      .suite_ref = n->suite_ref,
      .has_baseline_score = b->scored,
      .baseline_score = b->score,
      .has_candidate_score = n->scored,
      .candidate_score = n->score,
      .verdict = ruling.verdict,
      .reason = ruling.reason,
      .comparable = !str_present(why_not),
      .not_comparable = c->comparison.not_comparable,
      .self_check = c->request.self_check,
      .same_spec = digest_eq(&b->spec_hash, &n->spec_hash),
      .variant_unknown = c->comparison.variant_unknown,
      .rule_ref = STR(VERDICT_DEFAULT_REF),
      .rule_hash = verdict_default_hash(),
      .decided_by = c->request.actor,
      .differences = c->comparison.differences,
  };
}

/// Whether the candidate only names what the scenario does not have, although it has variants: a name that was mistyped
/// runs the same as the baseline.
static bool read_unknown(struct comparing *c, struct store_conn *conn, bool *ret_unknown, struct err *err) {
  const struct run *b = &c->arms[BASELINE], *n = &c->arms[CANDIDATE];
  *ret_unknown = false;
  if (c->request.self_check || id_is_zero(n->scenario) || n->overlaid || !str_present(n->variant)) return true;
  struct scenario head;
  bool found;
  if (!scenario_head(conn, c->arena, n->tenant, n->scenario, &head, &found, err)) return false;
  *ret_unknown = found && digest_eq(&b->spec_hash, &n->spec_hash) && !str_eq(head.variant_names, STR("[]"));
  return true;
}

/// On the worker thread, with a connection of its own: two long runs take longer to read than others may wait.
static void read_arms(void *ctx) {
  struct comparing *c = ctx;
  const struct run *b = &c->arms[BASELINE], *n = &c->arms[CANDIDATE];
  struct store_conn *conn;
  struct str why_not;
  if (!store_reader_open(c->sandbox->config.store, &conn, &c->err)) return;
  if (read_unknown(c, conn, &c->comparison.variant_unknown, &c->err) &&
      comparable_read(conn, c->arena, b, n, &c->comparison.not_comparable, &why_not, &c->err) &&
      differences_read(conn, c->arena, b, n, &c->comparison.differences, &c->err))
    decide(c, why_not);
  store_reader_close(conn);
}

static void arms_are_read(void *ctx) {
  struct comparing *c = ctx;
  c->sandbox->working--;
  if (c->err.code == ERR_NONE) {
    c->comparison.occurred_at = clock_wall_ns(&c->sandbox->config.clock);
    c->comparison.id = id_new(c->comparison.occurred_at);
    c->op = (struct store_op){.apply = apply, .done = recorded};
    store_submit(c->sandbox->config.store, &c->op);
  } else {
    struct err err = c->err;
    finish(c, &err);
  }
}

static void arms_are_there(struct comparing *c) {
  const struct sandbox_config *config = &c->sandbox->config;
  if (c->err.code == ERR_NONE && config->work(config->work_ctx, read_arms, arms_are_read, c)) {
    c->sandbox->working++;
    return;
  }
  err_set(&c->err, ERR_RATE_LIMITED, "Too much waits to be compared; compare the runs %s and %s in a moment.",
          id_format(c->arms[BASELINE].id).text, id_format(c->arms[CANDIDATE].id).text);
  if (c->err.code == ERR_RATE_LIMITED) c->err.retry_after_s = 1;
  struct err err = c->err;
  finish(c, &err);
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

static void launch(struct comparing *c, int arm, struct str variant, job_ended_fn ended) {
  struct job_config config = {
      .run =
          {
              .tenant = c->request.tenant,
              .kind = RUN_COMPARE,
              .scenario = c->head.id,
              .scenario_revision = c->head.revision,
              .subject_ref = arm_subject(c->arena, &c->head),
              .variant = variant,
              .suite_ref = c->request.suite_ref,
              .launched_by = c->request.actor,
          },
      .plan = c->plans[arm],
      .runner = sandbox_runner(c->sandbox, c->request.runner),
      .ended = ended,
      .ctx = c,
  };
  arm_launch(c->sandbox, &config, c->arena);
}

static void candidate_planned(void *ctx, struct plan *plan, const struct err *err) {
  struct comparing *c = ctx;
  if (err) {
    struct err why = *err;
    finish(c, &why);
    return;
  }
  c->plans[CANDIDATE] = plan_ref(plan);
  c->waiting = ARMS;
  // What launches may end at once, and with the second arm so may the comparison.
  struct plan *baseline = plan_ref(c->plans[BASELINE]), *candidate = plan_ref(plan);
  launch(c, BASELINE, c->request.baseline_variant, baseline_ended);
  launch(c, CANDIDATE, c->request.candidate_variant, candidate_ended);
  plan_unref(baseline);
  plan_unref(candidate);
}

static void baseline_planned(void *ctx, struct plan *plan, const struct err *err) {
  struct comparing *c = ctx;
  if (err) {
    struct err why = *err;
    finish(c, &why);
    return;
  }
  c->plans[BASELINE] = plan_ref(plan);
  arm_plan(c->sandbox, store_reader(c->sandbox->config.store), &c->head, c->request.candidate_variant, c->head.seed,
           candidate_planned, c);
}

static void from_scenario(struct comparing *c) {
  struct store_conn *conn = store_reader(c->sandbox->config.store);
  struct err err = {0};
  if (!arm_scenario(conn, c->arena, c->request.tenant, c->request.scenario, &c->head, &err))
    finish(c, &err);
  else
    arm_plan(c->sandbox, conn, &c->head, c->request.baseline_variant, c->head.seed, baseline_planned, c);
}

static void from_session(struct comparing *c) {
  struct replay_request request = {
      .tenant = c->request.tenant,
      .actor = c->request.actor,
      .session_ref = c->request.session_ref,
      .mocks = c->request.baseline_mocks,
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
  request.mocks = c->request.candidate_mocks;
  if (!arm_replay(c->sandbox, &request, RUN_COMPARE, candidate_ended, c, &err)) arm_ended(c, CANDIDATE, NULL, &err);
}

static void keep_request(struct comparing *c, const struct compare_request *request) {
  c->request = *request;
  struct str *texts[] = {
      &c->request.actor,     &c->request.session_ref, &c->request.baseline_variant, &c->request.candidate_variant,
      &c->request.suite_ref, &c->request.runner,      &c->request.baseline_mocks,   &c->request.candidate_mocks};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    if (str_present(*texts[i])) *texts[i] = arena_str(c->arena, *texts[i]);
}

/// Whether nothing differs between the arms that were asked for; `*ret_place` is the member that could make them two.
static bool identical(const struct compare_request *r, const char **ret_place) {
  bool stored = !id_is_zero(r->baseline);
  *ret_place = stored ? "candidate_run_ref" : "candidate_variant";
  if (stored) return id_eq(r->baseline, r->candidate);
  return str_eq(r->baseline_variant, r->candidate_variant) && str_eq(r->baseline_mocks, r->candidate_mocks);
}

static bool check_arms(const struct compare_request *r, struct err *err) {
  const char *place;
  bool same = identical(r, &place);
  if (same && !r->self_check)
    return err_set_at(err, ERR_BAD_REQUEST, place,
                      "Both arms are the same and nothing else differs: they would be compared with themselves. Name "
                      "two different ones, or ask for a self check (self_check: true).");
  return same || !r->self_check ||
         err_set_at(err, ERR_BAD_REQUEST, "self_check", "A self check has two identical arms; these differ.");
}

void compare(struct sandbox *sandbox, const struct compare_request *request,
             void (*done)(void *ctx, const struct comparison *comparison, const struct err *err), void *ctx) {
  struct comparing *c = mem_zalloc(sizeof *c);
  c->sandbox = sandbox;
  c->arena = arena_new();
  c->done = done;
  c->ctx = ctx;
  keep_request(c, request);
  struct err err = {0};
  if (!check_arms(request, &err))
    finish(c, &err);
  else if (!id_is_zero(request->baseline))
    from_stored(c);
  else if (!id_is_zero(request->scenario))
    from_scenario(c);
  else
    from_session(c);
}
