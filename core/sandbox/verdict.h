// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdbool.h>

#include "base/hash.h"
#include "base/mem.h"
#include "sandbox/run.h"

enum verdict { VERDICT_IMPROVED, VERDICT_REGRESSED, VERDICT_UNCHANGED, VERDICT_INCONCLUSIVE };
extern const char *const verdict_names[];        ///< by enum, NULL-terminated
extern const char *const verdict_reason_codes[]; ///< NULL-terminated

/// Scores closer than this are the same.
#define VERDICT_TOLERANCE 1e-9

struct ruling {
  enum verdict verdict;
  struct reason reason; ///< message in the arena
};

/// The shipped default rule. `not_comparable` says why the arms can't be compared, or is absent.
struct ruling verdict_default(const struct run *baseline, const struct run *candidate, struct str not_comparable,
                              struct arena *arena);

#define VERDICT_DEFAULT_REF "default"
/// Names the rule's behaviour: changes whenever the rule does.
struct digest verdict_default_hash(void);
