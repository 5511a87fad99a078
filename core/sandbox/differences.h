// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdbool.h>

#include "base/buf.h"
#include "sandbox/run.h"

/// The steps in which two recorded runs differ, as a JSON array of {step_key, kind, baseline?, candidate?} in the order
/// of the baseline, then what only the candidate has. Kinds: changed, miss_to_hit, hit_to_miss, only_baseline,
/// only_candidate. At most DIFFERENCES_MAX are written; `*ret_omitted` counts the rest. Texts are cut with a mark.
bool differences_write(struct store_conn *conn, const struct run *baseline, const struct run *candidate,
                       struct buf *out, int64_t *ret_omitted, struct err *err);

extern const char *const difference_kinds[]; ///< NULL-terminated
