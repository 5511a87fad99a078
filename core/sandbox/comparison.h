// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "sandbox/differences.h"
#include "sandbox/run.h"
#include "sandbox/verdict.h"

/// Two arms and what was decided about them, as recorded.
struct comparison {
  struct id tenant, id;
  struct id scenario;
  struct str session_ref, subject_ref;
  struct id baseline, candidate; ///< runs
  struct str baseline_variant, candidate_variant, suite_ref;
  bool has_baseline_score, has_candidate_score;
  double baseline_score, candidate_score;
  enum verdict verdict;
  struct reason reason;
  bool comparable;
  struct str not_comparable; ///< JSON array of {code, message}: what sets the arms apart
  bool self_check;           ///< the arms were identical on purpose; not what a gate asks for
  bool same_spec;            ///< both arms ran the same spec
  bool variant_unknown;      ///< and the candidate is none of the scenario's variants, of which there are some
  struct str rule_ref;
  struct digest rule_hash;
  struct differences differences;
  struct str decided_by;
  int64_t occurred_at;
};

/// Writer connection. Appends to the ledger.
bool comparison_insert(struct store_conn *conn, const struct comparison *comparison, struct err *err);
bool comparison_get(struct store_conn *conn, struct arena *arena, struct id tenant, struct id id,
                    struct comparison *ret_comparison, bool *ret_found, struct err *err);

struct comparison_filter {
  struct id scenario; ///< zero = all
  struct str verdict, subject_ref, candidate_variant;
  bool for_gate; ///< without self-checks
};
/// `visit` gets them without their pairs.
bool comparison_list(struct store_conn *conn, struct id tenant, const struct comparison_filter *filter,
                     bool oldest_first, struct id after, int limit,
                     void (*visit)(void *ctx, const struct comparison *comparison), void *ctx, struct err *err);

/// What a deployment reads: may this candidate go?
enum gate_decision { GATE_GO, GATE_NO_GO, GATE_HOLD };
extern const char *const gate_decision_names[]; ///< "go", "no_go", "hold", NULL

struct gate {
  enum gate_decision decision;
  struct reason reason;
  bool found;
  struct id comparison, baseline, candidate; ///< the latter are runs
  enum verdict verdict;
  int64_t age_s;
};
extern const char *const gate_reason_codes[]; ///< NULL-terminated

/// Decides from the newest comparison that matches and is no self-check. `max_age_s` 0 = any age. Holds when there is
/// none, when it is too old, when what its arms ran is not what they would run now, and when the candidate it names is
/// no variant of a scenario that has variants. Text lives in `arena`. Builds plans: for a worker thread.
bool gate_decide(struct store_conn *conn, struct arena *arena, struct id tenant, struct comparison_filter filter,
                 int64_t max_age_s, int64_t now_ns, struct gate *ret_gate, struct err *err);
