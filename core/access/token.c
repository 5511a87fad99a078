// SPDX-License-Identifier: Apache-2.0
// API tokens. The secret is shown once, when it is made; what is stored is its SHA-256 (a token has 256 random bits, so
// nothing slower is needed). A revoked token's row stays: it is what tells its holder so.
#include "access/bearer.h"
#include "access/grant.h"
#include "access/ledger.h"
#include "access/tokens.h"
#include "store/stmt.h"

#define SECOND_NS INT64_C(1000000000)

static bool expiry_of(int64_t expires_in_s, int64_t now_ns, int64_t *ret_expires_at, struct err *err) {
  if (expires_in_s < 0 || expires_in_s > (INT64_MAX - now_ns) / SECOND_NS)
    return err_set_at(err, ERR_BAD_REQUEST, "expires_in_s",
                      "A token expires after a number of seconds from 1, ending before the year 2262; 0 is never.");
  *ret_expires_at = expires_in_s == 0 ? 0 : now_ns + expires_in_s * SECOND_NS;
  return true;
}

static bool row_add(struct store_conn *conn, const struct api_token *token, const struct digest *digest,
                    struct err *err) {
  AUTO(stmt_close)
  struct stmt *q =
      stmt_open(conn,
                "INSERT INTO tokens (digest, id, tenant_id, name, role, created_at, expires_at, created_by)"
                " VALUES (?1, ?2, ?3, ?4, ?5, ?6, nullif(?7, 0), ?8)",
                err);
  if (!q) return false;
  stmt_bind_digest(q, 1, digest);
  stmt_bind_id(q, 2, token->id);
  stmt_bind_id(q, 3, token->tenant);
  stmt_bind_str(q, 4, token->name);
  stmt_bind_int(q, 5, token->role);
  stmt_bind_int(q, 6, token->created_at);
  stmt_bind_int(q, 7, token->expires_at);
  stmt_bind_str(q, 8, token->created_by);
  return stmt_run(&q, err);
}

bool token_create(struct store_conn *conn, struct arena *arena, const struct principal *by, struct str name,
                  enum role role, int64_t expires_in_s, int64_t now_ns, struct api_token *ret_token,
                  char ret_secret[SECRET_TOKEN_MAX], struct err *err) {
  int64_t expires_at = 0;
  if (!expiry_of(expires_in_s, now_ns, &expires_at, err)) return false;
  if (!grant_check(conn, by, by->tenant, role, err)) return false;
  struct api_token token = {.id = id_new(now_ns),
                            .tenant = by->tenant,
                            .name = arena_str(arena, name),
                            .role = role,
                            .created_at = now_ns,
                            .expires_at = expires_at,
                            .created_by = arena_str(arena, str_c(by->actor))};
  char secret[SECRET_TOKEN_MAX];
  secret_token(BEARER_API_PREFIX, secret);
  struct digest digest = bearer_digest(secret);
  if (!row_add(conn, &token, &digest, err)) return false;
  struct ledger_details details = ledger_word("role", role_name(role));
  if (!ledger_append(conn, token.tenant, str_c(by->actor), "token.create", "token", token.id, str_c(details.json),
                     now_ns, err))
    return false;
  *ret_token = token;
  memcpy(ret_secret, secret, sizeof secret);
  secret_wipe(secret, sizeof secret);
  return true;
}

#define TOKEN_COLUMNS "SELECT id, tenant_id, name, role, created_at, expires_at, revoked_at, created_by FROM tokens"

/// Text is borrowed from the statement.
static struct api_token row_read(struct stmt *q) {
  return (struct api_token){.id = stmt_id(q, 0),
                            .tenant = stmt_id(q, 1),
                            .name = stmt_str(q, 2),
                            .role = (enum role)stmt_int(q, 3),
                            .created_at = stmt_int(q, 4),
                            .expires_at = stmt_is_null(q, 5) ? 0 : stmt_int(q, 5),
                            .revoked_at = stmt_is_null(q, 6) ? 0 : stmt_int(q, 6),
                            .created_by = stmt_str(q, 7)};
}

bool token_get(struct store_conn *conn, struct arena *arena, struct id tenant, struct id token,
               struct api_token *ret_token, bool *ret_found, struct err *err) {
  AUTO(stmt_close) struct stmt *q = stmt_open(conn, TOKEN_COLUMNS " WHERE tenant_id = ?1 AND id = ?2", err);
  if (!q) return false;
  stmt_bind_id(q, 1, tenant);
  stmt_bind_id(q, 2, token);
  enum stmt_result step = stmt_step(q, err);
  if (step == STMT_ERROR) return false;
  *ret_found = step == STMT_ROW;
  if (step == STMT_ROW) {
    *ret_token = row_read(q);
    ret_token->name = arena_str(arena, ret_token->name);
    ret_token->created_by = arena_str(arena, ret_token->created_by);
  }
  return true;
}

static struct stmt *list_open(struct store_conn *conn, bool oldest_first, struct err *err) {
  if (oldest_first)
    return stmt_open(conn, TOKEN_COLUMNS " WHERE tenant_id = ?1 AND id > ifnull(?2, x'') ORDER BY id LIMIT ?3", err);
  return stmt_open(conn,
                   TOKEN_COLUMNS " WHERE tenant_id = ?1 AND id < ifnull(?2, x'ffffffffffffffffffffffffffffffffff')"
                                 " ORDER BY id DESC LIMIT ?3",
                   err);
}

bool token_list(struct store_conn *conn, struct id tenant, bool oldest_first, struct id after, int limit,
                void (*visit)(void *ctx, const struct api_token *token), void *ctx, struct err *err) {
  AUTO(stmt_close) struct stmt *q = list_open(conn, oldest_first, err);
  if (!q) return false;
  stmt_bind_id(q, 1, tenant);
  stmt_bind_id(q, 2, after);
  stmt_bind_int(q, 3, limit);
  for (;;) {
    switch (stmt_step(q, err)) {
    case STMT_ROW: {
      struct api_token token = row_read(q);
      visit(ctx, &token);
      break;
    }
    case STMT_DONE: return true;
    case STMT_ERROR: return false;
    }
  }
}

/// `*ret_revoked` is false when there is nothing to do: no such token, or revoked before.
static bool row_revoke(struct store_conn *conn, struct id tenant, struct id token, int64_t now_ns, bool *ret_revoked,
                       struct err *err) {
  AUTO(stmt_close)
  struct stmt *q =
      stmt_open(conn, "UPDATE tokens SET revoked_at = ?3 WHERE tenant_id = ?1 AND id = ?2 AND revoked_at IS NULL", err);
  if (!q) return false;
  stmt_bind_id(q, 1, tenant);
  stmt_bind_id(q, 2, token);
  stmt_bind_int(q, 3, now_ns);
  if (!stmt_run(&q, err)) return false;
  *ret_revoked = stmt_changes(conn) > 0;
  return true;
}

static bool row_role(struct store_conn *conn, struct id tenant, struct id token, enum role *ret_role, bool *ret_found,
                     struct err *err) {
  AUTO(stmt_close) struct stmt *q = stmt_open(conn, "SELECT role FROM tokens WHERE tenant_id = ?1 AND id = ?2", err);
  if (!q) return false;
  stmt_bind_id(q, 1, tenant);
  stmt_bind_id(q, 2, token);
  enum stmt_result step = stmt_step(q, err);
  if (step == STMT_ERROR) return false;
  *ret_found = step == STMT_ROW;
  *ret_role = *ret_found ? (enum role)stmt_int(q, 0) : ROLE_NONE;
  return true;
}

bool token_revoke(struct store_conn *conn, const struct principal *by, struct id token, int64_t now_ns, bool *ret_found,
                  struct err *err) {
  bool revoked;
  enum role role;
  if (!row_role(conn, by->tenant, token, &role, ret_found, err)) return false;
  if (!*ret_found) return true;
  // Taking a role away needs the power to give it, as with memberships.
  if (!grant_check(conn, by, by->tenant, role, err)) return false;
  if (!row_revoke(conn, by->tenant, token, now_ns, &revoked, err)) return false;
  if (!revoked) return true; // it was before
  if (!ledger_append(conn, by->tenant, str_c(by->actor), "token.revoke", "token", token, STR_NONE, now_ns, err))
    return false;
  return true;
}
