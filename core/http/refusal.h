// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdarg.h>

// What is refused at a request's head, before anybody could be asked about it: where the request ends, or which request
// it is, is not certain. The connection ends with the answer.

struct refusal {
  unsigned status;
  const char *reason; ///< the status in words, for the status line
  const char *body;   ///< an error document
};

extern const struct refusal refusal_target;         ///< a blank in the request target
extern const struct refusal refusal_host;           ///< not exactly one Host (RFC 9112, section 3.2)
extern const struct refusal refusal_field_name;     ///< a blank in a field's name (RFC 9112, section 5.1)
extern const struct refusal refusal_length;         ///< a body whose length can be read in two ways, or in none
extern const struct refusal refusal_body_too_large; ///< a Content-Length that no 64 bits hold
extern const struct refusal refusal_head_too_large; ///< no memory left for what is parsed of the head

/// libmicrohttpd's MHD_LogCallback; `server` is the http_server. Sends the refusal of the request whose head
/// libmicrohttpd is about to refuse in its own words.
void refusal_on_log(void *server, const char *format, va_list args);
