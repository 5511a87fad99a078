// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

enum {
  MOCK_RESOURCE_MAX_BYTES = 8192,
  MOCK_PATTERN_MAX_BYTES = 1024, // globs and regular expressions
  MOCK_RESPONSE_MAX_BYTES = 65536,
  MOCK_DELAY_MAX_MS = 86400000, // one day
  MOCK_TIMES_MAX = 1000000,
  MOCK_HUGE_BYTES = 1024 * 1024,
  MOCK_TIMEOUT_MS = 30000,                   // a timeout's delay when none is given
  MOCK_MATCHERS_MAX_BYTES = 32 * 1024 * 1024 // of a scenario
};

/// The JSON shapes of one mock, and of a matcher, as a stranger sends them; and of a mock as it is stored.
extern const struct schema mock_shape, matcher_shape, mock_stored_shape;

/// Reads one mock that has mock_shape into its stored form, in place: checks what a shape can't say and makes the ways
/// to write one thing one. `place` is where it stands, e.g. "mocks[3]". `*bytes` adds up what the matchers of a
/// scenario hold. ERR_BAD_REQUEST with the place.
bool mock_read(json_t *mock, const char *place, size_t *bytes, struct err *err);

/// What goes wrong instead of an ordinary answer.
enum mock_fault {
  MOCK_FAULT_NONE,
  MOCK_FAULT_ERROR,
  MOCK_FAULT_TIMEOUT,
  MOCK_FAULT_EMPTY,
  MOCK_FAULT_MALFORMED,
  MOCK_FAULT_HUGE
};
extern const char *const mock_fault_names[]; ///< by enum: "none", "error", …; NULL-terminated

enum mock_exhausted { MOCK_EXHAUSTED_MISS, MOCK_EXHAUSTED_REPEAT, MOCK_EXHAUSTED_CYCLE };
extern const char *const mock_exhausted_names[]; ///< by enum, NULL-terminated

/// A resource as stored. One that was cut to its text limit carries the SHA-256 of the whole text: it equals only a
/// resource cut from the same text, so that two long resources with a common beginning never answer for each other.
struct mock_resource {
  struct str text;
  const struct digest *whole; ///< borrowed; NULL when the text is whole
};

struct mock_set;

/// Builds a set from layers of mocks, the first layer taking precedence (a variant's, then the scenario's). Each layer
/// is a JSON array of mocks in their stored form (mock_read); `name` is its place in the scenario, e.g. "mocks" or
/// "variants.candidate.mocks"; `left_out` (may be NULL) says by index which are not to be part of the set. Copies what
/// it needs. A mock may carry "resource_whole": the hexadecimal SHA-256 of a resource that was cut. ERR_INTERNAL with
/// the mock's place when a stored item is damaged.
struct mock_layer {
  const char *name;
  const json_t *mocks;
  const bool *left_out;
};
bool mock_set_new(const struct mock_layer *layers, size_t count, struct mock_set **ret_set, struct err *err);
void mock_set_free(struct mock_set *set); ///< accepts NULL
size_t mock_set_count(const struct mock_set *set);
size_t mock_set_bytes(const struct mock_set *set);                   ///< memory held, for a cache's bound
struct str mock_set_place(const struct mock_set *set, size_t index); ///< "mocks[3]"; owned by the set
extern const char *const mock_matcher_names[]; ///< every word of mock_set_matcher; NULL-terminated
const char *mock_set_matcher(const struct mock_set *set, size_t index); ///< what it matches by: "resource", "glob", …
bool mock_set_required(const struct mock_set *set, size_t index);

/// What one run has consumed of a set. One thread at a time.
struct mock_run;
struct mock_run *mock_run_new(const struct mock_set *set); ///< borrows the set
void mock_run_free(struct mock_run *run);                  ///< accepts NULL
/// Mocks that answered nothing in this run.
size_t mock_run_unused(const struct mock_run *run);
bool mock_run_used(const struct mock_run *run, size_t index);

/// What became of a mock that matched.
enum mock_outcome {
  MOCK_ANSWERED,
  MOCK_BEHIND,    ///< would have answered, but one in front of it did
  MOCK_USED_UP,   ///< has given all its answers
  MOCK_UNDECIDED, ///< its matcher reached its limit
};
extern const char *const mock_outcome_names[]; ///< by enum: "answered", "behind", "used_up", "matcher_limit"; NULL

struct mock_candidate {
  int mock;
  enum mock_outcome outcome;
};

enum { MOCK_NONE = -1, MOCK_CANDIDATES_MAX = 16 };
struct mock_answer {
  bool hit;
  int mock;            ///< which answered, index in the set; or MOCK_NONE
  int undecided;       ///< the mock whose matcher reached its limit before one had answered; or MOCK_NONE
  struct str response; ///< what the agent receives; valid until the run is asked again
  int64_t use;         ///< of a mock that counts (responses, times): which of its answers in this run, from 1; else 0
  enum mock_fault fault;
  int64_t delay_ms;
  /// Every mock that matched, in order of precedence, and what became of it. Valid until the run is asked again.
  const struct mock_candidate *candidates;
  size_t candidate_count, candidates_omitted;
};

/// Asks who answers `resource`, which must stay as it is until mock_decide has answered. The first candidate that
/// matches and has an answer left gives it. A matcher that reaches its limit before that ends the question as a miss:
/// who would have answered can't be told.
void mock_ask(struct mock_run *run, struct mock_resource resource);
/// Goes on with the question for about a millisecond. True: decided, and what was consumed is consumed. False: call it
/// again. In which pieces it is decided changes nothing about the answer. A miss is an answer too:
/// "[[mock-miss:<resource>]]". Constant expected time in the number of exact mocks, linear in that of the others.
bool mock_decide(struct mock_run *run, struct mock_answer *ret_answer);
/// Both, to the end.
void mock_resolve(struct mock_run *run, struct mock_resource resource, struct mock_answer *ret_answer);

// ---- near-misses ----

enum { MOCK_NEAR_MAX = 3 };

/// A mock that nearly answered, and what kept it from doing so. Text is the run's, valid until it is asked again.
struct mock_near_miss {
  int mock;
  struct str criterion; ///< which part failed: "resource", "match.prefix", "match.all[1].json.path"
  struct str why;       ///< a sentence
  struct str expected; ///< the mock's side, an excerpt with the first difference between ⟦ and ⟧ where there is one
  struct str got;      ///< the request's side likewise; absent when there is none
  bool has_at;
  size_t at;            ///< of the first difference: offset in the request, in bytes
  unsigned equal_after; ///< a sum of MOCK_EQUAL_… : it would match after that
};
enum { MOCK_EQUAL_TRIMMING = 1, MOCK_EQUAL_CASE = 2, MOCK_EQUAL_UNICODE = 4, MOCK_EQUAL_JSON = 8, MOCK_EQUAL_CUT = 16 };
/// "trimming", "case_folding", "unicode_normalization", "json", "cutting": by bit, NULL-terminated.
extern const char *const mock_equal_names[];

/// The mocks nearest to the request that was decided last as a miss, the nearest first. At most MOCK_NEAR_MAX, none
/// that has nothing in common with it. The first call for a set indexes its exact mocks; each looks at a bounded number
/// of mocks, however many there are (of those with a matcher, at the first 10). One thread at a time for one set.
/// None when more mocks matched than are listed as candidates.
size_t mock_near_misses(struct mock_run *run, struct mock_near_miss ret_near[MOCK_NEAR_MAX]);
/// How many mocks with a matcher mock_near_misses does not look at.
size_t mock_near_skipped(const struct mock_run *run);
