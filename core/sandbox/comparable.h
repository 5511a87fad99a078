// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdbool.h>

#include "base/mem.h"
#include "sandbox/run.h"

extern const char *const comparable_codes[]; ///< what can set two arms apart; NULL-terminated

/// Whether two runs can be compared at all. `*ret_reasons` is a JSON array of {code, message}, one for each thing that
/// sets them apart, "[]" when nothing does; `*ret_message` the messages as one text, absent when nothing does. Text is
/// in `arena`. Reads both specs: for a worker thread.
bool comparable_read(struct store_conn *conn, struct arena *arena, const struct run *baseline,
                     const struct run *candidate, struct str *ret_reasons, struct str *ret_message, struct err *err);
