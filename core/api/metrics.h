// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdint.h>

#include "base/buf.h"
#include "http/server.h"
#include "store/store.h"

/// One moment of the engine in numbers.
struct metrics {
  const char *version;
  int schema_version;
  struct http_server_stats http;
  struct store_stats store;
  unsigned calls;            ///< of the API, under way
  uint64_t executions;       ///< runs under way in this engine
  int64_t resident_bytes;    ///< of the process; -1 when the system does not say
  int64_t open_fds, max_fds; ///< likewise
};

/// Fills what the system says of this process (proc(5): statm, fd; getrlimit(2)).
void metrics_process(struct metrics *metrics);

/// Prometheus' text format, version 0.0.4. What the system does not say is left out.
void metrics_write(const struct metrics *metrics, struct buf *out);
#define METRICS_CONTENT_TYPE "text/plain; version=0.0.4; charset=utf-8"
