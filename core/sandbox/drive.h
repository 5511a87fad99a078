// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdbool.h>

#include "base/err.h"
#include "base/hash.h"
#include "base/json_writer.h"
#include "sandbox/plan.h"
#include "sandbox/run.h"
#include "sandbox/runner.h"

// Drives a backend over a plan: hands it the steps, answers its requests from the mocks, and gives the evidence of each
// step to whoever listens (a job that records it, a verification that compares it).

struct drive;

struct drive_events {
  bool (*ready)(void *ctx); ///< may the next step begin? false: drive_wake says when
  /// One step's evidence, in order; text is borrowed during the call. id and run are zero.
  void (*on_output)(void *ctx, const struct output *output);
  void (*on_end)(void *ctx, enum runner_end_kind end, struct str detail);
};

/// Prepares an execution. References the plan.
bool drive_new(struct runner *runner, struct id run, struct plan *plan, const struct drive_events *events, void *ctx,
               struct drive **ret_drive, struct err *err);
void drive_start(struct drive *drive);
void drive_wake(struct drive *drive);
void drive_stop(struct drive *drive);
void drive_attest(struct drive *drive, struct json_writer *out);
int64_t drive_virtual_ms(const struct drive *drive);   ///< how long the answers so far would have taken
int64_t drive_unused_mocks(const struct drive *drive); ///< mocks of the spec that have answered nothing so far
/// The places of those of them that are required, as a JSON array.
void drive_write_unused_required(const struct drive *drive, struct json_writer *out);
/// SHA-256 over the outputs given so far, see docs/http-api.md (outputs_hash).
struct digest drive_outputs_hash(const struct drive *drive);
/// Destroys the execution. `*ret_gone` (may be NULL): the backend verified that nothing is left. Accepts NULL.
void drive_free(struct drive *drive, bool *ret_gone);
