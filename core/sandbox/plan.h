// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/hash.h"
#include "base/id.h"
#include "base/json.h"
#include "base/str.h"
#include "mock/mock.h"
#include "sandbox/scenario.h"

/// What a run executes: the steps and the mocks of a scenario with a variant's overlay and a seed applied. Immutable
/// and shared; its spec_hash names it.
struct plan_step {
  struct str key, input;
  const struct digest *whole; ///< of an input that was cut; else NULL
};

struct plan {
  unsigned refs;
  struct plan_step *steps;
  size_t step_count;
  struct mock_set *mocks;
  bool overlaid; ///< by a variant of the scenario; a variant that has no overlay is a label only
  int64_t seed;
  struct digest spec_hash; ///< SHA-256 over the length-preceded canonical JSON below
  char *canonical;         ///< RFC 8785: {"mocks":[…],"seed":n,"steps":[…]}
  size_t canonical_len;
  size_t bytes;   ///< memory held
  json_t *source; // what steps point into
};

/// From a scenario with its content. `variant` is absent or a name; one without an overlay is a label and changes
/// nothing.
bool plan_from_scenario(const struct scenario *scenario, struct str variant, int64_t seed, struct plan **ret_plan,
                        struct err *err);
/// From JSON arrays as stored.
bool plan_from_json(struct str steps, struct str mocks, int64_t seed, struct plan **ret_plan, struct err *err);
/// From the canonical form, as a run's spec was stored.
bool plan_from_canonical(struct str canonical, struct plan **ret_plan, struct err *err);
struct plan *plan_ref(struct plan *plan);
void plan_unref(struct plan *plan); ///< accepts NULL

/// The plans used last, so that a scenario that runs often is parsed once. Bounded in number and memory.
struct plan_cache;
struct plan_cache *plan_cache_new(size_t max_plans, size_t max_bytes);
void plan_cache_free(struct plan_cache *cache); ///< accepts NULL
/// A new reference to the plan of (scenario, revision, variant, seed), or NULL.
struct plan *plan_cache_get(struct plan_cache *cache, struct id scenario, int64_t revision, struct str variant,
                            int64_t seed);
void plan_cache_put(struct plan_cache *cache, struct id scenario, int64_t revision, struct str variant, int64_t seed,
                    struct plan *plan);
