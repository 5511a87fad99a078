// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/hash.h"
#include "base/id.h"
#include "base/mem.h"
#include "base/str.h"
#include "store/store.h"

enum run_kind { RUN_SCENARIO, RUN_REPLAY, RUN_COMPARE };
enum run_status { RUN_RUNNING, RUN_COMPLETED, RUN_DEGRADED, RUN_ERROR, RUN_CANCELED };
extern const char *const run_kind_names[];   ///< by enum, NULL-terminated
extern const char *const run_status_names[]; ///< by enum, NULL-terminated
/// Of a run's variant, by `overlaid`: "label", "overlay", NULL.
extern const char *const run_variant_kinds[];

/// Why a run is what it is. Codes are a closed list; see docs/http-api.md.
struct reason {
  const char *code; ///< borrowed like the message; NULL = none
  struct str message;
};
extern const char *const run_reason_codes[]; ///< NULL-terminated

/// One execution of a spec, as recorded.
struct run {
  struct id tenant, id;
  enum run_kind kind;
  struct id scenario;
  int64_t scenario_revision;
  struct digest spec_hash;
  struct str subject_ref, variant, runner, suite_ref, launched_by, attestation; ///< attestation is a JSON object
  int64_t seed;
  bool isolated, destroyed;
  enum run_status status;
  struct reason reason;
  int64_t steps_total, steps_ok, steps_error; ///< of the steps that gave an output
  bool has_outputs_hash;
  struct digest outputs_hash;
  bool scored, passed;
  double score;
  bool overlaid;                   ///< the variant is one of the scenario's; else a label only
  int64_t virtual_ms;              ///< how long the answers took on the run's virtual clock
  int64_t unused_mock_count;       ///< mocks that answered nothing, required or not
  struct str unused_mocks;         ///< JSON array: the places of the required ones among them
  int64_t started_at, finished_at; ///< finished_at 0 while running
  int64_t duration_ms;
};

/// Whether the run did what it was asked: only then it may be scored or compared.
bool run_executed(const struct run *run);

/// Copies the run's text into the arena, so that the record outlives what it was read from.
void run_keep_texts(struct run *run, struct arena *arena);

/// One step's evidence.
struct output {
  struct id id, run;
  int64_t seq;
  struct str step_key, output;
  bool mock_hit;    ///< every request of the step was answered by a mock
  bool clamped;     ///< the output, or the list of its requests, was cut to its limit
  struct str calls; ///< JSON array
  int64_t occurred_at;
};

/// Writer connection.
bool run_insert(struct store_conn *conn, const struct run *run, struct err *err);
bool run_finish(struct store_conn *conn, const struct run *run,
                struct err *err); ///< a running run becomes what `run` says
bool run_insert_output(struct store_conn *conn, struct id tenant, const struct output *output, struct err *err);
bool run_insert_spec(struct store_conn *conn, struct id tenant, const struct digest *spec_hash, struct str canonical,
                     struct err *err);

/// Any connection; text is copied to `arena`.
bool run_get(struct store_conn *conn, struct arena *arena, struct id tenant, struct id id, struct run *ret_run,
             bool *ret_found, struct err *err);
bool run_get_spec(struct store_conn *conn, struct arena *arena, struct id tenant, const struct digest *spec_hash,
                  struct str *ret_canonical, struct err *err);

struct run_filter {
  struct str kind, status, variant, subject_ref; ///< absent = all
  struct id scenario;                            ///< zero = all
};
bool run_list(struct store_conn *conn, struct id tenant, const struct run_filter *filter, bool oldest_first,
              struct id after, int limit, void (*visit)(void *ctx, const struct run *run), void *ctx, struct err *err);
/// The step keys of a run in order of seq. `visit` returns false to stop.
bool run_step_keys(struct store_conn *conn, struct id tenant, struct id run,
                   bool (*visit)(void *ctx, int64_t seq, struct str key), void *ctx, struct err *err);
/// Outputs in order of seq, from behind `after` (-1 = from the first); descending: from before `after` (INT64_MAX =
/// from the last). `visit` returns false to stop.
bool run_outputs(struct store_conn *conn, struct id tenant, struct id run, bool descending, int64_t after, int limit,
                 bool (*visit)(void *ctx, const struct output *output), void *ctx, struct err *err);
