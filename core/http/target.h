// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "http/http.h"

/// Fills path, query, query_count and query_malformed of `request` from a request target (RFC 9112, section 3.2):
/// "/path?query", or the absolute form, of which scheme and authority are dropped. The target is copied into `arena`.
void target_read(struct arena *arena, struct str target, struct http_request *request);
