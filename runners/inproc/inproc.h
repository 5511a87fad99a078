// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "loop/loop.h"
#include "sandbox/runner.h"

/// The `inproc-mock` backend: the reference agent inside the engine process. For each step it requests the step's input
/// and gives the answer as the output. It holds no handle to store, network or secrets: all it can reach is the events
/// it was given. Works in slices on the loop, so that a long scenario does not hold up others.
struct runner *inproc_new(struct loop *loop);
void inproc_free(struct runner *runner); ///< accepts NULL; no execution may be left
