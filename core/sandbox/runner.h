// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/id.h"
#include "base/json_writer.h"
#include "base/str.h"

// The port behind which an agent scenario is executed. A backend pulls steps, makes requests, gives outputs, and ends;
// it never sees the store, and the flow never sees how a backend works. All calls and events are on the loop's thread;
// no event is delivered from inside a call of the port.
//
// Life: prepare → start → (steps, requests, outputs) → on_end → destroy. stop may come at any time after start and
// leads to on_end; destroy is idempotent and legal in every state.

/// How an execution ended: the agent's own ends and the backend's are kept apart.
enum runner_end_kind {
  RUNNER_END_DONE,         ///< every step was taken and answered
  RUNNER_END_STOPPED,      ///< stop() was called
  RUNNER_END_SETUP_FAILED, ///< the backend could not begin
  RUNNER_END_BACKEND_LOST, ///< the backend broke
  RUNNER_END_PROTOCOL,     ///< the agent broke the agent link
};

enum runner_next { RUNNER_STEP, RUNNER_WAIT, RUNNER_NO_MORE };
enum runner_answer { RUNNER_ANSWERED, RUNNER_LATER, RUNNER_AGAIN };

struct runner_step {
  size_t seq; ///< from 0
  struct str key, input;
};

/// What the backend calls. `ctx` is the flow's.
struct runner_events {
  /// The next step, or WAIT (the flow calls wake() when there is one), or NO_MORE.
  enum runner_next (*next_step)(void *ctx, struct runner_step *ret_step);
  /// A request of the agent during step `seq`. ANSWERED: `*ret_answer` is borrowed until the next event. LATER: the
  /// answer comes through answer(). AGAIN: it is being looked for; make the same request again once the loop has had
  /// its turn.
  enum runner_answer (*on_request)(void *ctx, size_t seq, uint64_t request, struct str resource,
                                   struct str *ret_answer);
  /// The step's output. Borrowed during the call.
  void (*on_output)(void *ctx, size_t seq, struct str output);
  /// The last event. `detail` is a sentence, may be absent.
  void (*on_end)(void *ctx, enum runner_end_kind end, struct str detail);
};

struct runner;           ///< a backend
struct runner_execution; ///< one scenario being executed by it

struct runner_stage {
  const char *stage; ///< "resolver", "seccomp", …
  bool ok;
  int sys_errno;      ///< 0 when none
  const char *detail; ///< what was seen
};

struct runner_report {
  bool available;
  const char *missing;        ///< the missing primitive when not available, e.g. "lua guests"; else NULL
  const char *reason;         ///< one sentence when not available; else NULL
  const char *strength;       ///< "by construction", "process", "user-space kernel", …
  const char *const *attests; ///< protections it can attest, NULL-terminated
  const struct runner_stage *stages;
  size_t stage_count;
};

struct runner {
  const char *name; ///< as requests name it: "inproc-mock"
  /// What this host can do now. The report is owned by the backend and valid until the next preflight.
  const struct runner_report *(*preflight)(struct runner *runner);
  bool (*prepare)(struct runner *runner, struct id run, const struct runner_events *events, void *ctx,
                  struct runner_execution **ret_execution, struct err *err);
  void (*start)(struct runner_execution *execution);
  void (*wake)(struct runner_execution *execution); ///< there may be a step again after WAIT
  void (*answer)(struct runner_execution *execution, uint64_t request, struct str answer);
  void (*stop)(struct runner_execution *execution);
  /// Ends what is left and verifies that nothing of the execution remains. `*ret_gone` is what was seen, not what was
  /// hoped. The execution is invalid afterwards. Accepts NULL.
  void (*destroy)(struct runner_execution *execution, bool *ret_gone);
  /// Members of the run's `attestation` object, written into an open object: what was really in force.
  void (*attest)(struct runner_execution *execution, struct json_writer *out);
};
