// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdbool.h>

#include "loop/loop.h"

// The one thread behind loop_work, for core/loop alone.

struct loop_worker;

struct loop_worker *loop_worker_new(struct loop *loop);
/// Waits for the job that runs; jobs that wait are dropped, and no `done` is called any more. Accepts NULL.
void loop_worker_free(struct loop_worker *worker);
/// See loop_work. The thread starts with the first job.
bool loop_worker_add(struct loop_worker *worker, loop_fn work, loop_fn done, void *ctx);
