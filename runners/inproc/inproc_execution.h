// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stddef.h>

#include "runners/inproc/inproc.h"

// One execution of the reference agent: the part of the port (sandbox/runner.h) that starts with prepare.

/// Begins with `events` (copied) and `ctx` (borrowed until destroy). `*live` counts the executions not destroyed yet
/// and is borrowed as long.
struct runner_execution *inproc_execution_new(struct loop *loop, size_t *live, const struct runner_events *events,
                                              void *ctx);

void inproc_execution_start(struct runner_execution *execution);
void inproc_execution_wake(struct runner_execution *execution);
/// An answer to anything but the one request that waits for it is ignored: it comes too late.
void inproc_execution_answer(struct runner_execution *execution, uint64_t request, struct str answer);
void inproc_execution_stop(struct runner_execution *execution);
void inproc_execution_destroy(struct runner_execution *execution, bool *ret_gone);
