// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdint.h>

#include "base/str.h"

/// Where time comes from. Passed in, so that a test decides what time it is.
struct clock {
  int64_t (*wall_ns)(void *ctx); ///< nanoseconds since 1970-01-01T00:00:00Z
  int64_t (*mono_ns)(void *ctx); ///< monotonic, for durations
  void *ctx;
};

/// The machine's clocks (CLOCK_REALTIME, CLOCK_MONOTONIC).
struct clock clock_system(void);
int64_t clock_wall_ns(const struct clock *clock);
int64_t clock_mono_ns(const struct clock *clock);

enum { CLOCK_TEXT_LEN = 30 };
struct clock_text {
  char text[CLOCK_TEXT_LEN + 1];
};

/// RFC 3339 in UTC with nine fractional digits: 2026-01-31T23:59:59.000000001Z. From 1970 to the end of int64 (2262);
/// an earlier moment is shown as the first of 1970.
struct clock_text clock_format(int64_t wall_ns);
