// SPDX-License-Identifier: Apache-2.0
// Work that is too long for the loop, on behalf of a call.
#include "api/call_work.h"

#include "api/call.h"

enum { BUSY_RETRY_S = 1 };

void call_work(struct api_call *call, loop_fn work, loop_fn done, void *ctx) {
  if (loop_work(call->config->loop, work, done, ctx)) return;
  err_set(&call->err, ERR_RATE_LIMITED, "The engine has as much of this work waiting as it takes; try again in %d s.",
          BUSY_RETRY_S);
  call->err.retry_after_s = BUSY_RETRY_S;
  call_fail(call, &call->err);
}
