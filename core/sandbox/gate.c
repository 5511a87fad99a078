// SPDX-License-Identifier: Apache-2.0
// The question a deployment asks. Only a comparison that says so lets a candidate through. No comparison, an old one,
// one of something else than what would run now, and an inconclusive one hold.
#include "base/buf.h"
#include "base/json.h"
#include "sandbox/comparison.h"
#include "sandbox/plan.h"

const char *const gate_decision_names[] = {"go", "no_go", "hold", NULL};
const char *const gate_reason_codes[] = {"no_comparison",   "comparison_stale", "scenario_changed",
                                         "variant_unknown", "verdict",          NULL};

enum { NAMES_MAX_BYTES = 512 }; // what does not fit is not shown: the scenario itself has it

struct newest {
  struct arena *arena;
  bool found;
  struct comparison comparison; // what is asked for below; text in arena
};

static void take(void *ctx, const struct comparison *c) {
  struct newest *n = ctx;
  n->found = true;
  n->comparison = *c;
  n->comparison.reason.message = arena_str(n->arena, c->reason.message);
  if (str_present(c->candidate_variant)) n->comparison.candidate_variant = arena_str(n->arena, c->candidate_variant);
}

static enum gate_decision decision_of(enum verdict verdict) {
  switch (verdict) {
  case VERDICT_IMPROVED:
  case VERDICT_UNCHANGED: return GATE_GO;
  case VERDICT_REGRESSED: return GATE_NO_GO;
  case VERDICT_INCONCLUSIVE: return GATE_HOLD;
  }
  return GATE_HOLD;
}

struct asking {
  struct store_conn *conn;
  struct arena *arena;
  const struct comparison *comparison;
  struct scenario scenario; // as it is now
};

/// Whether the run's variant would run the same spec now.
static bool still_runs(struct asking *a, struct id run_id, bool *ret_still, struct err *err) {
  struct run run;
  bool found;
  if (!run_get(a->conn, a->arena, a->comparison->tenant, run_id, &run, &found, err)) return false;
  if (!found) return err_set(err, ERR_INTERNAL, "A run of the comparison is not in the store.");
  *ret_still = run.scenario_revision == a->scenario.revision;
  struct plan *plan;
  if (*ret_still) return true;
  if (!plan_from_scenario(&a->scenario, run.variant, run.seed, &plan, err)) return false;
  *ret_still = digest_eq(&plan->spec_hash, &run.spec_hash);
  plan_unref(plan);
  return true;
}

/// The scenario's variants, for people.
static void list_variants(const struct scenario *scenario, struct buf *out) {
  AUTO(json_auto_decref) json_t *names = NULL;
  struct err ignored = {0};
  size_t i;
  json_t *name;
  if (!json_read(scenario->variant_names, &names, &ignored)) return;
  json_array_foreach(names, i, name) {
    if (i) buf_add_c(out, ", ");
    buf_add_str(out, json_str(name));
  }
}

static struct reason variant_unknown(struct asking *a) {
  AUTO(buf_done) struct buf names;
  buf_init(&names, NAMES_MAX_BYTES);
  list_variants(&a->scenario, &names);
  return (struct reason){
      "variant_unknown",
      arena_printf(a->arena,
                   "The candidate '%.*s' is no variant of the scenario, which has %.*s%s: both arms ran the same. Name "
                   "one of those and run a new comparison.",
                   STR_ARG(a->comparison->candidate_variant), STR_ARG(buf_str(&names)), names.over ? ", …" : "")};
}

/// A reason not to go by the comparison although it is the newest one: its scenario has changed, or its candidate was
/// only a name. Leaves `ret_reason` alone when there is none.
static bool doubt(struct asking *a, struct reason *ret_reason, struct err *err) {
  const struct comparison *c = a->comparison;
  bool found, baseline = false, candidate = false;
  if (id_is_zero(c->scenario)) return true;
  if (!scenario_get(a->conn, a->arena, c->tenant, c->scenario, &a->scenario, &found, err)) return false;
  if (!found) return err_set(err, ERR_INTERNAL, "The scenario of the comparison is not in the store.");
  if (!still_runs(a, c->baseline, &baseline, err) || !still_runs(a, c->candidate, &candidate, err)) return false;
  if (!baseline || !candidate) {
    *ret_reason = (struct reason){"scenario_changed",
                                  arena_printf(a->arena,
                                               "The scenario was changed since the newest comparison: the %s would run "
                                               "something else now. Run a new comparison.",
                                               candidate ? "baseline" : "candidate")};
  } else if (c->variant_unknown) {
    *ret_reason = variant_unknown(a);
  }
  return true;
}

static struct reason too_old(struct arena *arena, int64_t age_s, int64_t max_age_s) {
  return (struct reason){"comparison_stale",
                         arena_printf(arena,
                                      "The newest comparison is %lld s old, at most %lld s are allowed; run a new one.",
                                      (long long)age_s, (long long)max_age_s)};
}

static bool decide(struct asking *a, int64_t max_age_s, int64_t now_ns, struct gate *gate, struct err *err) {
  const struct comparison *c = a->comparison;
  gate->found = true;
  gate->comparison = c->id;
  gate->baseline = c->baseline;
  gate->candidate = c->candidate;
  gate->verdict = c->verdict;
  gate->age_s = now_ns > c->occurred_at ? (now_ns - c->occurred_at) / 1000000000 : 0;
  if (max_age_s > 0 && gate->age_s > max_age_s) {
    gate->reason = too_old(a->arena, gate->age_s, max_age_s);
    return true;
  }
  gate->reason = (struct reason){NULL, STR_NONE};
  if (!doubt(a, &gate->reason, err)) return false;
  if (gate->reason.code) return true;
  gate->decision = decision_of(c->verdict);
  gate->reason = (struct reason){"verdict", arena_printf(a->arena, "The newest comparison is %s: %.*s",
                                                         verdict_names[c->verdict], STR_ARG(c->reason.message))};
  return true;
}

bool gate_decide(struct store_conn *conn, struct arena *arena, struct id tenant, struct comparison_filter filter,
                 int64_t max_age_s, int64_t now_ns, struct gate *ret_gate, struct err *err) {
  struct newest n = {.arena = arena};
  filter.for_gate = true;
  if (!comparison_list(conn, tenant, &filter, false, (struct id){0}, 1, take, &n, err)) return false;
  struct gate gate = {.decision = GATE_HOLD, .reason = {"no_comparison", STR("No comparison matches; run one first.")}};
  struct asking a = {.conn = conn, .arena = arena, .comparison = &n.comparison};
  if (n.found && !decide(&a, max_age_s, now_ns, &gate, err)) return false;
  *ret_gate = gate;
  return true;
}
