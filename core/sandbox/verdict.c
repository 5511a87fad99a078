// SPDX-License-Identifier: Apache-2.0
// The shipped default rule, the cautious one: what did not execute or can't be compared decides nothing; scores decide
// by the sign of their difference; without scores only equality can be told, since a difference proves that the arms
// differ, not which is better.
#include "sandbox/verdict.h"

const char *const verdict_names[] = {"improved", "regressed", "unchanged", "inconclusive", NULL};

const char *const verdict_reason_codes[] = {
    "no_steps",
    "arm_not_executed",
    "not_comparable",
    "score_improved",
    "score_regressed",
    "one_arm_scored",
    "score_within_tolerance",
    "outputs_identical",
    "outputs_differ_unscored",
    "self_check_failed",
    NULL,
};

static struct ruling inconclusive(const char *code, struct str message) {
  return (struct ruling){VERDICT_INCONCLUSIVE, {code, message}};
}

static struct str arm_state(const struct run *run, struct arena *arena) {
  return arena_printf(arena, "%s%s%s", run_status_names[run->status], run->reason.code ? ", " : "",
                      run->reason.code ? run->reason.code : "");
}

static struct ruling by_score(const struct run *baseline, const struct run *candidate, struct arena *arena) {
  double delta = candidate->score - baseline->score;
  if (delta > VERDICT_TOLERANCE)
    return (struct ruling){VERDICT_IMPROVED,
                           {"score_improved", arena_printf(arena, "The score rose by %g, from %g to %g.", delta,
                                                           baseline->score, candidate->score)}};
  if (delta < -VERDICT_TOLERANCE)
    return (struct ruling){VERDICT_REGRESSED,
                           {"score_regressed", arena_printf(arena, "The score fell by %g, from %g to %g.", -delta,
                                                            baseline->score, candidate->score)}};
  return (struct ruling){VERDICT_UNCHANGED,
                         {"score_within_tolerance", arena_printf(arena, "Both scores are %g.", candidate->score)}};
}

struct ruling verdict_default(const struct run *baseline, const struct run *candidate, struct str not_comparable,
                              struct arena *arena) {
  if (baseline->steps_total == 0 && candidate->steps_total == 0)
    return inconclusive("no_steps",
                        arena_printf(arena, "Neither arm has a step: baseline %.*s; candidate %.*s.",
                                     STR_ARG(arm_state(baseline, arena)), STR_ARG(arm_state(candidate, arena))));
  if (!run_executed(baseline) || !run_executed(candidate))
    return inconclusive("arm_not_executed",
                        arena_printf(arena, "An arm did not execute: baseline %.*s; candidate %.*s.",
                                     STR_ARG(arm_state(baseline, arena)), STR_ARG(arm_state(candidate, arena))));
  if (str_present(not_comparable)) return inconclusive("not_comparable", arena_str(arena, not_comparable));
  if (baseline->scored && candidate->scored) return by_score(baseline, candidate, arena);
  if (baseline->scored != candidate->scored)
    return inconclusive("one_arm_scored", STR("Only one of the arms has a score."));
  if (baseline->has_outputs_hash && candidate->has_outputs_hash &&
      digest_eq(&baseline->outputs_hash, &candidate->outputs_hash))
    return (struct ruling){VERDICT_UNCHANGED, {"outputs_identical", STR("Every output of the arms is the same.")}};
  return inconclusive(
      "outputs_differ_unscored",
      STR("The outputs differ and nothing scored them: that proves a difference, not which arm is better."));
}

struct digest verdict_default_hash(void) {
  return hash_of(STR("default/1: no_steps, arm_not_executed, not_comparable, score sign beyond 1e-9, one_arm_scored, "
                     "equal outputs_hash unchanged else inconclusive"));
}
