// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdbool.h>

#include "app/lua_sse.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"
#include "http/http.h"

// The two ways a request of the CLI can go. Both answer the same: what a handler replies is an answer, whatever its
// status; only what keeps an answer from coming is a failure.

struct client_request {
  enum http_method method;
  struct str path;                  ///< percent-encoded, with its query
  struct str body;                  ///< absent when there is none
  struct str tenant, last_event_id; ///< absent when not to be sent
  struct sse *events;               ///< takes the stream of a 200 text/event-stream; NULL when none is expected
  int interrupt_fd;                 ///< gives up waiting when this becomes readable; -1 for never
};

struct client_answer {
  unsigned status;
  struct buf *body; ///< the caller's, empty; stays empty when the answer went to `events`
};

enum client_end { CLIENT_ANSWERED, CLIENT_INTERRUPTED, CLIENT_FAILED };

/// In process, against a data directory.
struct client_local;
/// `data_dir` NULL is the default one. Errors are engine_open's.
bool client_local_open(const char *data_dir, const char *note, struct client_local **ret_client, struct err *err);
enum client_end client_local_send(struct client_local *client, const struct client_request *request,
                                  struct client_answer *answer, struct err *err);
void client_local_close(struct client_local *client); ///< finishes what the engine has queued; accepts NULL

/// Over HTTP, with libcurl.
struct client_remote;
/// What a server's address says: whether it is this machine, and whether the way there is encrypted.
struct client_address {
  bool loopback, encrypted;
};
/// `token` may be NULL. ERR_BAD_REQUEST for an address that is not http(s)://host[:port][/prefix] or a token with
/// characters no header can carry; ERR_UNAVAILABLE when libcurl can't be had.
bool client_remote_open(const char *server, const char *token, struct client_remote **ret_client, struct err *err);
struct client_address client_remote_address(const struct client_remote *client);
/// CLIENT_FAILED is ERR_UNAVAILABLE and means the transport.
enum client_end client_remote_send(struct client_remote *client, const struct client_request *request,
                                   struct client_answer *answer, struct err *err);
void client_remote_close(struct client_remote *client); ///< accepts NULL
