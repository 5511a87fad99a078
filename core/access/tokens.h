// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "access/principal.h"
#include "base/mem.h"
#include "base/secret.h"

/// An API token: bound to one tenant and role, shown once, stored as a hash.
struct api_token {
  struct id id, tenant;
  struct str name;
  enum role role;
  int64_t created_at, expires_at, revoked_at; ///< expires_at and revoked_at 0 = never / not
  struct str created_by;
};

/// Makes a token for the tenant `by` is in. `expires_in_s` 0 = never; ERR_BAD_REQUEST at "expires_in_s" when negative
/// or beyond what a time can hold. ERR_FORBIDDEN when `by` is less than an admin or the role is more than theirs. Text
/// is in `arena`; the secret ("olv_…") is in `ret_secret` only.
bool token_create(struct store_conn *conn, struct arena *arena, const struct principal *by, struct str name,
                  enum role role, int64_t expires_in_s, int64_t now_ns, struct api_token *ret_token,
                  char ret_secret[SECRET_TOKEN_MAX], struct err *err);
/// The token and no secret; text in `arena`. `*ret_found` false when the tenant has no such token.
bool token_get(struct store_conn *conn, struct arena *arena, struct id tenant, struct id token,
               struct api_token *ret_token, bool *ret_found, struct err *err);
/// Newest first unless `oldest_first`; tokens beyond `after` (zero = from the start), at most `limit`, revoked ones
/// too. Text is borrowed until the visitor returns.
bool token_list(struct store_conn *conn, struct id tenant, bool oldest_first, struct id after, int limit,
                void (*visit)(void *ctx, const struct api_token *token), void *ctx, struct err *err);
/// Idempotent; appends to the ledger only when something changes. `*ret_found` false when the tenant has no such token.
/// ERR_FORBIDDEN: the token has more power than `by`.
bool token_revoke(struct store_conn *conn, const struct principal *by, struct id token, int64_t now_ns, bool *ret_found,
                  struct err *err);
