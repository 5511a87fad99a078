// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <microhttpd.h>
#include <sys/queue.h>

#include "http/connections.h"
#include "http/feed.h"
#include "http/server_state.h"

/// A request from a socket, from its first line until it is answered and sent.
struct incoming {
  struct http_exchange exchange; // first: the transport's calls get its address
  LIST_ENTRY(incoming) link;
  struct http_server *server;         // NULL once the server is closed
  struct MHD_Connection *mhd;         // NULL once the connection is gone
  struct http_connection *connection; // likewise
  struct buf body;
  size_t discarded_bytes; // of a body over the cap
  bool head_read;
  bool body_unread; // refused at its head: the body may still be coming
  bool refused;     // likewise, and the client has been told (refusal.c)
  bool dispatched;  // the handler has it
  bool answered;
  bool suspended;                // libmicrohttpd waits for the answer
  struct MHD_Response *response; // made, not queued yet
  struct feed feed;
};

// libmicrohttpd's callbacks, in the order of a request's life; `server` is the http_server.
void *incoming_begin(void *server, const char *target, struct MHD_Connection *mhd);
enum MHD_Result incoming_receive(void *server, struct MHD_Connection *mhd, const char *url, const char *method,
                                 const char *version, const char *upload, size_t *upload_bytes, void **request_context);
void incoming_end(void *server, struct MHD_Connection *mhd, void **request_context,
                  enum MHD_RequestTerminationCode why);

/// The connection is gone: releases the request, or leaves that to the handler's answer when it has not come yet.
void incoming_abandon(struct incoming *incoming);
/// Before libmicrohttpd stops: it must not hold suspended connections then.
void incomings_resume(struct http_server *server);
/// After it stopped: answers still to come find nobody.
void incomings_detach(struct http_server *server);
