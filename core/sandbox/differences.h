// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdbool.h>

#include "base/buf.h"
#include "base/mem.h"
#include "sandbox/run.h"

/// How a step of one run stands to the same step of another. A step is the same by its key.
enum difference {
  DIFFERENCE_SAME,
  DIFFERENCE_CHANGED,
  DIFFERENCE_MISS_TO_HIT,
  DIFFERENCE_HIT_TO_MISS,
  DIFFERENCE_ONLY_BASELINE,
  DIFFERENCE_ONLY_CANDIDATE,
};
enum { DIFFERENCE_COUNT = DIFFERENCE_ONLY_CANDIDATE + 1 };
extern const char *const difference_names[]; ///< by enum, NULL-terminated

enum { DIFFERENCES_MAX = 1000, PAIRS_MAX = 10000, DIFFERENCE_TEXT_BYTES = 1024 };

/// Two recorded runs, step by step in execution order: the baseline's, with what only the candidate has where it came.
struct differences {
  int64_t counts[DIFFERENCE_COUNT]; ///< of all steps
  struct str pairs;                 ///< JSON array of {step_key, kind}, the first PAIRS_MAX
  struct str differences; ///< JSON array of {step_key, kind, baseline?, candidate?} without the same ones, the
                          ///< first DIFFERENCES_MAX; texts are cut with a mark
  int64_t pairs_omitted, differences_omitted;
};

/// Reads both runs; text is in `arena`. Takes as long as they are: for a worker thread with a connection of its own.
bool differences_read(struct store_conn *conn, struct arena *arena, const struct run *baseline,
                      const struct run *candidate, struct differences *ret_differences, struct err *err);

/// Appends the text as a JSON string, cut to DIFFERENCE_TEXT_BYTES with a mark that says how much is missing.
void difference_text(struct buf *out, struct str text);
