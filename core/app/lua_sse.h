// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdbool.h>

#include "base/buf.h"
#include "base/str.h"

/// One server-sent event: all three borrowed during the call, `event` and `id` empty when not sent.
struct sse_event {
  struct str event, data, id;
};

/// Reads an event stream (WHATWG HTML, section 9.2.6) that arrives in pieces of any size.
struct sse {
  bool (*on_event)(void *ctx, const struct sse_event *event); ///< false ends the reading
  void *ctx;
  struct buf line, event, data, id;
  bool ended; ///< on_event said false, or an event was too large
};

void sse_init(struct sse *sse, bool (*on_event)(void *ctx, const struct sse_event *event), void *ctx);
void sse_done(struct sse *sse);

/// False once the reading has ended; what comes after is not looked at.
bool sse_feed(struct sse *sse, struct str bytes);
