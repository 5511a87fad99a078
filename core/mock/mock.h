// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/schema.h"
#include "base/str.h"

// Who answers a resource request, and why. A mock set is built once from a scenario's mocks and is immutable, so that
// any number of runs share it; what a run consumes (sequences) lives in a mock_run.
//
// Order of candidates: exact ones first, then the others as written; the first that answers wins. Text is never
// trimmed, folded or normalised.

/// The JSON shape of one mock as a stranger sends it: {"resource": "…", "response": "…"}.
extern const struct schema mock_shape;

/// A resource as stored. One that was cut to its text limit carries the SHA-256 of the whole text: it equals only a
/// resource cut from the same text, so that two long resources with a common beginning never answer for each other.
struct mock_resource {
  struct str text;
  const struct digest *whole; ///< borrowed; NULL when the text is whole
};

struct mock_set;

/// Builds a set from layers of mocks, the first layer taking precedence (a variant's, then the scenario's). Each layer
/// is a JSON array whose items have been checked against mock_shape; `name` is its place in the scenario, e.g. "mocks"
/// or "variants.candidate.mocks". Copies what it needs. A mock may carry "resource_whole": the hexadecimal SHA-256 of a
/// resource that was cut; mock_shape leaves it out, so that no stranger can claim a digest. Fails with ERR_INTERNAL and
/// the mock's place when a stored item is damaged.
struct mock_layer {
  const char *name;
  const json_t *mocks;
};
bool mock_set_new(const struct mock_layer *layers, size_t count, struct mock_set **ret_set, struct err *err);
void mock_set_free(struct mock_set *set); ///< accepts NULL
size_t mock_set_count(const struct mock_set *set);
size_t mock_set_bytes(const struct mock_set *set);                   ///< memory held, for a cache's bound
struct str mock_set_place(const struct mock_set *set, size_t index); ///< "mocks[3]"; owned by the set

struct str mock_set_response(const struct mock_set *set, size_t index); ///< owned by the set

/// Visits every mock that matches, in order of precedence: the first is the one that answers, the others are what would
/// answer without it. Consumes nothing. Linear in the number of mocks: for a person who asks, not for a run.
void mock_set_candidates(const struct mock_set *set, struct mock_resource resource,
                         void (*visit)(void *ctx, size_t index), void *ctx);

/// What one run has consumed of a set. One thread at a time.
struct mock_run;
struct mock_run *mock_run_new(const struct mock_set *set); ///< borrows the set
void mock_run_free(struct mock_run *run);                  ///< accepts NULL
/// Mocks that answered nothing in this run.
size_t mock_run_unused(const struct mock_run *run);

enum { MOCK_NONE = -1 };
struct mock_answer {
  bool hit;
  int mock;            ///< index in the set, or MOCK_NONE
  struct str response; ///< owned by the set, or by `scratch` for a miss marker
};

/// Answers one request. A miss is an answer too: "[[mock-miss:<resource>]]", written into `scratch` (cleared first; its
/// cap must hold the marker). Constant expected time in the number of exact mocks.
void mock_resolve(struct mock_run *run, struct mock_resource resource, struct buf *scratch,
                  struct mock_answer *ret_answer);
