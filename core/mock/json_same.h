// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdbool.h>

#include "base/json.h"

/// Whether two JSON values mean the same: order of members and spelling of numbers don't count (1, 1.0 and 1e0 are one
/// number), everything else does.
bool json_same(const json_t *a, const json_t *b);

/// Whether `value` has at least what `part` has: of objects, each member of `part`, in the same sense; of arrays, each
/// item of `part` in that order, with others between them allowed; of all others, json_same.
bool json_contains(const json_t *value, const json_t *part);
