// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <microhttpd.h>

#include "http/server_state.h"

/// An event stream on its way to one client. Embedded; zero-initialised is unused.
struct feed {
  struct http_stream *stream; // NULL when unused or closed
  struct http_server *server;
  struct MHD_Connection *mhd;
  struct loop_timer *heartbeat;
  struct buf pending; // pulled, not yet taken by libmicrohttpd from `taken` on
  size_t taken;
  bool headers_pushed; // something was sent behind the headers
  bool heartbeat_due;
  bool pulling, woken;
  bool ended, failed;
  bool suspended; // the connection waits for a wake or a heartbeat
};

/// Ties `stream` to the connection and returns the response that pulls from it, without headers. libmicrohttpd must be
/// done with the response when feed_close is called.
struct MHD_Response *feed_open(struct feed *feed, struct http_stream *stream, struct http_server *server,
                               struct MHD_Connection *mhd);
/// Resumes the connection when it waits; needed before libmicrohttpd stops.
void feed_resume(struct feed *feed);
/// Closes the stream (once) and releases the rest. Accepts an unused feed.
void feed_close(struct feed *feed);
