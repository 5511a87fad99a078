// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sandbox/job.h"
#include "sandbox/plan.h"
#include "sandbox/sandbox.h"

// What the files of this folder share about the instance; nobody else includes it.

struct sandbox {
  struct sandbox_config config;
  struct plan_cache *plans;
  struct job *jobs; ///< every execution that has not been recorded as ended
  size_t job_count;
  struct run_watch *watches;
  struct run_watch *next_to_wake;  ///< by sandbox_notify
  struct verifying *verifications; ///< under way
  size_t working;                  ///< what the worker thread does for the module: plans, comparisons
  bool stopping;                   ///< nothing new is started any more
};

/// Stops the verifications under way; each answers that the engine is stopping.
void verify_stop_all(struct sandbox *sandbox);

/// Wakes those who watch `run`.
void sandbox_notify(struct sandbox *sandbox, struct id run);
