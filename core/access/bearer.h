// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdbool.h>

#include "access/principal.h"
#include "base/hash.h"
#include "base/str.h"

#define BEARER_API_PREFIX     "olv_"
#define BEARER_SESSION_PREFIX "ols_"

/// What an Authorization header carries. Tokens are stored and looked up as digests only.
struct bearer {
  enum principal_kind kind; ///< PRINCIPAL_TOKEN or PRINCIPAL_USER
  struct digest digest;     ///< SHA-256 of the whole token, its prefix included
};

/// Reads "Bearer <token>" (RFC 6750, section 2.1; the scheme in any case). False when it is anything else.
bool bearer_read(struct str authorization, struct bearer *ret_bearer);

struct digest bearer_digest(const char *token);
