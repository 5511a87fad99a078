// SPDX-License-Identifier: Apache-2.0
// The question a deployment asks. Only a comparison that says so lets a candidate through; no comparison, an old one,
// and an inconclusive one hold.
#include "sandbox/comparison.h"

const char *const gate_decision_names[] = {"go", "no_go", "hold", NULL};

struct newest {
  struct arena *arena;
  bool found;
  struct id id;
  enum verdict verdict;
  struct str message;
  int64_t occurred_at;
};

static void take(void *ctx, const struct comparison *c) {
  struct newest *n = ctx;
  n->found = true;
  n->id = c->id;
  n->verdict = c->verdict;
  n->message = arena_str(n->arena, c->reason.message);
  n->occurred_at = c->occurred_at;
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

bool gate_decide(struct store_conn *conn, struct arena *arena, struct id tenant, const struct comparison_filter *filter,
                 int64_t max_age_s, int64_t now_ns, struct gate *ret_gate, struct err *err) {
  struct newest n = {.arena = arena};
  if (!comparison_list(conn, tenant, filter, false, (struct id){0}, 1, take, &n, err)) return false;
  struct gate gate = {.decision = GATE_HOLD, .reason = {"no_comparison", STR("No comparison matches; run one first.")}};
  if (n.found) {
    gate.found = true;
    gate.comparison = n.id;
    gate.verdict = n.verdict;
    gate.age_s = now_ns > n.occurred_at ? (now_ns - n.occurred_at) / 1000000000 : 0;
    if (max_age_s > 0 && gate.age_s > max_age_s) {
      gate.reason = (struct reason){
          "comparison_stale",
          arena_printf(arena, "The newest comparison is %lld s old, at most %lld s are allowed; run a new one.",
                       (long long)gate.age_s, (long long)max_age_s)};
    } else {
      gate.decision = decision_of(n.verdict);
      gate.reason = (struct reason){"verdict", arena_printf(arena, "The newest comparison is %s: %.*s",
                                                            verdict_names[n.verdict], STR_ARG(n.message))};
    }
  }
  *ret_gate = gate;
  return true;
}
