// SPDX-License-Identifier: Apache-2.0
// The closed lists of a run's record, and the one question that every flow asks of it.
#include "sandbox/run.h"

const char *const run_kind_names[] = {"scenario", "replay", "compare", NULL};
const char *const run_variant_kinds[] = {"label", "overlay", NULL};
const char *const run_status_names[] = {"running", "completed", "degraded", "error", "canceled", NULL};

const char *const run_reason_codes[] = {
    "not_scored",
    "timeline_unavailable",
    "isolation_unavailable",
    "canceled_by_request",
    "engine_restarted",
    "engine_stopping",
    "evidence_limit",
    "backend_failed",
    "protocol",
    NULL,
};

bool run_executed(const struct run *run) {
  return run->isolated && run->steps_total > 0 && (run->status == RUN_COMPLETED || run->status == RUN_DEGRADED);
}

void run_keep_texts(struct run *run, struct arena *arena) {
  struct str *texts[] = {&run->subject_ref, &run->variant,     &run->runner,         &run->suite_ref,
                         &run->launched_by, &run->attestation, &run->reason.message, &run->unused_mocks};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    if (str_present(*texts[i])) *texts[i] = arena_str(arena, *texts[i]);
  if (run->reason.code) run->reason.code = arena_strdup(arena, str_c(run->reason.code));
}
