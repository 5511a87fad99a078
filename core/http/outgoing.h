// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <microhttpd.h>

#include "http/http.h"
#include "http/refusal.h"

/// The response to an answered exchange; takes the bytes of exchange->body. The caller releases it with
/// MHD_destroy_response.
struct MHD_Response *outgoing_reply(struct http_exchange *exchange);
/// Adds the headers of an event stream.
void outgoing_mark_stream(struct MHD_Response *response);
/// Has the connection closed behind this response.
void outgoing_close_after(struct MHD_Response *response);
/// The response to a request that is refused at its head; the connection is closed behind it.
struct MHD_Response *outgoing_refusal(const struct refusal *refusal);
