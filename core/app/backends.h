// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stddef.h>

#include "loop/loop.h"
#include "sandbox/runner.h"

/// Every backend a request can name. The first is the default. One that is not built into this engine is there all the
/// same, so that a request for it is recorded as not available instead of being an unknown word.
enum { BACKENDS_COUNT = 6 };

struct backends {
  struct runner *runners[BACKENDS_COUNT];
};

void backends_init(struct backends *backends, struct loop *loop);
void backends_done(struct backends *backends); ///< accepts a zeroed one
