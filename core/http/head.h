// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <microhttpd.h>
#include <stdbool.h>

#include "http/http.h"
#include "http/refusal.h"

/// Whether a header field has this name; the case of ASCII letters does not matter.
bool head_name_is(struct str name, struct str wanted);

/// Reads method and header fields into `request`, copied into the arena; its target was read before. Returns what the
/// head has to be refused for, NULL when it is in order. `ret_over_cap` says whether the body's announced length is
/// over HTTP_BODY_MAX_BYTES; untouched on a refusal.
const struct refusal *head_read(struct MHD_Connection *mhd, const char *method, const char *version,
                                struct arena *arena, struct http_request *request, bool *ret_over_cap);
