// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/hash.h"
#include "base/id.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/schema.h"
#include "base/str.h"
#include "store/store.h"

/// A scenario: steps and the mocks that answer them, in revisions. Text is borrowed from the arena or statement it was
/// read with.
struct scenario {
  struct id tenant, id;
  struct str name, description, subject_kind, created_by;
  bool archived;
  int64_t revision; ///< from 1
  int64_t seed;
  struct digest spec_hash; ///< of the scenario as it runs without a variant
  int64_t steps_count, mocks_count;
  struct str variant_names;          ///< JSON array
  struct str clamped;                ///< JSON array of the places that were cut, or absent
  struct str steps, mocks, variants; ///< JSON; absent in lists
  int64_t created_at, updated_at;
};

/// Shapes of what an operator writes. The engine's own marks (input_whole, resource_whole) are not in them.
extern const struct schema shape_step, shape_steps, shape_mocks, shape_variants;

/// Reads a scenario from a body that was checked against the shapes: fills defaults (keys, subject kind, seed), cuts
/// over-long text and lists it in `clamped`, or refuses it when `strict`; refuses duplicate keys and members this
/// engine can't honour (agent, script: ERR_UNAVAILABLE). Text lives in `arena`. Does not set ids, times, revision.
bool scenario_read(const json_t *body, bool strict, struct arena *arena, struct scenario *ret_scenario,
                   struct err *err);

/// The same for a list of mocks on its own, as replay and compare take it. `*ret_clamped` is a JSON array of places, or
/// absent.
bool scenario_read_mocks(const json_t *mocks, const char *place, bool strict, struct arena *arena,
                         struct str *ret_mocks, struct str *ret_clamped, struct err *err);

/// Writer connection. ERR_CONFLICT: the name is taken. Appends to the ledger.
bool scenario_insert(struct store_conn *conn, const struct scenario *scenario, struct str actor, int64_t now_ns,
                     struct err *err);
/// Replaces the content by a new revision; sets revision, created_* and archived in `scenario`. `*ret_found` false when
/// the tenant has none.
bool scenario_replace(struct store_conn *conn, struct arena *arena, struct scenario *scenario, struct str actor,
                      int64_t now_ns, bool *ret_found, struct err *err);
/// Idempotent; the ledger gets an entry only when something changes.
bool scenario_set_archived(struct store_conn *conn, struct id tenant, struct id id, bool archived, struct str actor,
                           int64_t now_ns, bool *ret_found, struct err *err);

/// Any connection. With the content; text is copied to `arena`.
bool scenario_get(struct store_conn *conn, struct arena *arena, struct id tenant, struct id id,
                  struct scenario *ret_scenario, bool *ret_found, struct err *err);
/// Without the content and the description: what a run needs to find its plan.
bool scenario_head(struct store_conn *conn, struct arena *arena, struct id tenant, struct id id,
                   struct scenario *ret_scenario, bool *ret_found, struct err *err);

struct scenario_filter {
  struct str status, name, subject_kind; ///< absent = all
};
bool scenario_list(struct store_conn *conn, struct id tenant, const struct scenario_filter *filter, bool oldest_first,
                   struct id after, int limit, void (*visit)(void *ctx, const struct scenario *scenario), void *ctx,
                   struct err *err);
