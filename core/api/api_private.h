// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/api.h"
#include "api/call.h"

// What the files of this folder share; nobody else includes it.

struct api {
  struct api_config config;
  const struct http_server *server; // borrowed; NULL in process
  bool draining;
  bool set_up; // a user exists: asked once
  unsigned under_way;
};

/// Checks the query against the route's parameters and fills call->params and call->page.
bool query_read(struct api_call *call);

/// The error document with a status that is not the code's own.
void call_fail_as(struct api_call *call, unsigned status, const struct err *err);
