// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/err.h"
#include "base/str.h"

/// Why json_read refuses `text`: records the first fault in it, in words and with its place. `refused_at` is where the
/// parser stood behind the token it refused, `refusal` is its own reason; they settle what grammar can't tell.
/// `text` does not nest deeper than JSON_MAX_DEPTH. Always returns false.
bool json_fault(struct str text, size_t refused_at, const char *refusal, struct err *err);

/// Records a fault at byte `at` of `text`, with "line L, column C" as its place. Always returns false.
bool json_fault_at(struct str text, size_t at, struct err *err, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
