// SPDX-License-Identifier: Apache-2.0
// From an Authorization header to who is asking, and from there into a tenant.
//
// Authentication is part of every request: one statement by primary key. Nothing is cached between requests, so a
// revoked token is refused by the very next one. What a role may give on is grant.c's.
#include "access/principal.h"

#include <stdio.h>

#include "access/bearer.h"
#include "access/grant.h"
#include "base/clock.h"
#include "base/mem.h"
#include "store/stmt.h"

static const char tenant_place[] = "X-Olivares-Tenant";

/// Columns: whose, expires_at, revoked_at, superadmin, tenant and role (none for a login session).
static struct stmt *credential_open(struct store_conn *conn, enum principal_kind kind, struct err *err) {
  if (kind == PRINCIPAL_TOKEN)
    return stmt_open(conn, "SELECT id, expires_at, revoked_at, 0, tenant_id, role FROM tokens WHERE digest = ?1", err);
  return stmt_open(conn,
                   "SELECT user_id, expires_at, revoked_at, superadmin, NULL, 0 FROM login_sessions"
                   " JOIN users ON users.id = user_id WHERE digest = ?1",
                   err);
}

static const char *credential_name(enum principal_kind kind) {
  return kind == PRINCIPAL_TOKEN ? "API token" : "login session";
}

static const char *credential_way_out(enum principal_kind kind) {
  return kind == PRINCIPAL_TOKEN ? "make another one with `olivares tokens create`" : "log in again";
}

static bool credential_valid(enum principal_kind kind, struct stmt *q, int64_t now_ns, struct err *err) {
  if (!stmt_is_null(q, 2))
    return err_set(err, ERR_UNAUTHENTICATED, "This %s was %s at %s; %s.", credential_name(kind),
                   kind == PRINCIPAL_TOKEN ? "revoked" : "ended by a logout", clock_format(stmt_int(q, 2)).text,
                   credential_way_out(kind));
  if (!stmt_is_null(q, 1) && stmt_int(q, 1) <= now_ns)
    return err_set(err, ERR_UNAUTHENTICATED, "This %s expired at %s; %s.", credential_name(kind),
                   clock_format(stmt_int(q, 1)).text, credential_way_out(kind));
  return true;
}

bool principal_authenticate(struct store_conn *conn, struct str authorization, int64_t now_ns,
                            struct principal *ret_who, struct err *err) {
  if (authorization.len == 0)
    return err_set(
        err, ERR_UNAUTHENTICATED,
        "No credentials were sent; send `Authorization: Bearer <token>` (on the command line: --token) with an "
        "API token or the token of a login.");
  struct bearer bearer;
  if (!bearer_read(authorization, &bearer))
    return err_set(err, ERR_UNAUTHENTICATED,
                   "The Authorization header is not `Bearer` and a token (" BEARER_API_PREFIX
                   "… or " BEARER_SESSION_PREFIX "…); check that the token was copied whole.");

  AUTO(stmt_close) struct stmt *q = credential_open(conn, bearer.kind, err);
  if (!q) return false;
  stmt_bind_digest(q, 1, &bearer.digest);
  switch (stmt_step(q, err)) {
  case STMT_ROW: break;
  case STMT_DONE:
    return err_set(err, ERR_UNAUTHENTICATED, "This %s is unknown here; check the server's address, or %s.",
                   credential_name(bearer.kind), credential_way_out(bearer.kind));
  case STMT_ERROR: return false;
  }
  if (!credential_valid(bearer.kind, q, now_ns, err)) return false;

  struct principal who = {.kind = bearer.kind,
                          .id = stmt_id(q, 0),
                          .superadmin = stmt_bool(q, 3),
                          .tenant = stmt_id(q, 4),
                          .role = (enum role)stmt_int(q, 5)};
  snprintf(who.actor, sizeof who.actor, "%s:%s", bearer.kind == PRINCIPAL_TOKEN ? "token" : "user",
           id_format(who.id).text);
  *ret_who = who;
  return true;
}

void principal_local(struct principal *ret_who) {
  *ret_who = (struct principal){.kind = PRINCIPAL_LOCAL, .superadmin = true, .role = ROLE_OWNER, .actor = "local"};
}

static bool enter_named(struct store_conn *conn, struct principal *who, struct str tenant_header, struct err *err) {
  struct id tenant;
  if (!id_parse(tenant_header, &tenant))
    return err_set_at(err, ERR_BAD_REQUEST, tenant_place,
                      "The tenant is not an id (a lower-case UUIDv7); GET /v1/whoami lists the tenants you can enter.");
  enum role role;
  if (!grant_held(conn, who, tenant, &role, err)) return false;
  if (role == ROLE_NONE) return grant_no_tenant(tenant, err);
  who->tenant = tenant;
  who->role = role;
  return true;
}

/// Tenants and the role in each, the first made first; two of them tell one from several.
static struct stmt *tenants_open(struct store_conn *conn, const struct principal *who, struct err *err) {
  if (who->superadmin) return stmt_open(conn, "SELECT tenant_id, 4 FROM organizations ORDER BY id LIMIT 2", err);
  struct stmt *q = stmt_open(conn, "SELECT tenant_id, role FROM memberships WHERE user_id = ?1 LIMIT 2", err);
  if (q) stmt_bind_id(q, 1, who->id);
  return q;
}

static bool enter_only(struct store_conn *conn, struct principal *who, struct err *err) {
  AUTO(stmt_close) struct stmt *q = tenants_open(conn, who, err);
  if (!q) return false;
  enum stmt_result step = stmt_step(q, err);
  if (step == STMT_ERROR) return false;
  if (step == STMT_DONE && who->superadmin)
    return err_set(err, ERR_SETUP_REQUIRED, "There is no organization here yet; make the first with `olivares setup`.");
  if (step == STMT_DONE)
    return err_set(err, ERR_FORBIDDEN, "You have a role in no organization; ask an admin of one to give you a role.");

  struct id tenant = stmt_id(q, 0);
  enum role role = (enum role)stmt_int(q, 1);
  if (who->kind != PRINCIPAL_LOCAL) {
    step = stmt_step(q, err);
    if (step == STMT_ERROR) return false;
    if (step == STMT_ROW)
      return err_set_at(
          err, ERR_BAD_REQUEST, tenant_place,
          "You can enter several tenants: say which one with the header X-Olivares-Tenant (on the command "
          "line: --tenant); GET /v1/whoami lists them.");
  }
  who->tenant = tenant;
  who->role = role;
  return true;
}

bool principal_enter(struct store_conn *conn, struct principal *who, struct str tenant_header, struct err *err) {
  if (str_present(tenant_header)) return enter_named(conn, who, tenant_header, err);
  if (who->kind == PRINCIPAL_TOKEN) return true;
  return enter_only(conn, who, err);
}

bool principal_require(const struct principal *who, enum role needed, struct err *err) {
  if (who->role >= needed) return true;
  return err_set(err, ERR_FORBIDDEN, "This takes the role %s in this tenant; yours is %s. Ask an admin or owner of it.",
                 role_name(needed), role_name(who->role));
}
