// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "loop/loop.h"

struct api_call;

/// Runs `work` on the loop's worker thread, then `done` on the loop. Meanwhile nothing else touches the call. When too
/// much waits already, answers ERR_RATE_LIMITED and calls neither.
void call_work(struct api_call *call, loop_fn work, loop_fn done, void *ctx);
