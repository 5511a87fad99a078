// SPDX-License-Identifier: Apache-2.0
// Who belongs to which tenant, and as what. A tenant that has an owner always keeps one, and an owner's role is an
// owner's to change: otherwise an admin could make themselves the highest by lessening everybody above.
#include "access/account_rows.h"
#include "access/accounts.h"
#include "access/grant.h"
#include "access/ledger.h"
#include "store/stmt.h"

/// A user that `by` has to do with: everybody for a superadmin, else one who belongs to a tenant where `by` is an
/// admin. The others are absent: an id must not tell an admin who else has an account here, nor enrol them.
static bool user_known(struct store_conn *conn, const struct principal *by, struct id user, struct err *err) {
  static const char sql[] =
      "SELECT 1 FROM users AS u WHERE u.id = ?1 AND (?2"
      " OR EXISTS (SELECT 1 FROM memberships AS m WHERE m.user_id = u.id AND m.tenant_id = ?3)"
      " OR EXISTS (SELECT 1 FROM memberships AS m JOIN memberships AS a ON a.tenant_id = m.tenant_id"
      "            WHERE m.user_id = u.id AND a.user_id = ?4 AND a.role >= 3))";
  AUTO(stmt_close) struct stmt *q = stmt_open(conn, sql, err);
  if (!q) return false;
  static const struct id nobody;
  bool token = by->kind == PRINCIPAL_TOKEN; // an admin of one tenant, which grant_check has seen to
  stmt_bind_id(q, 1, user);
  stmt_bind_bool(q, 2, by->superadmin);
  stmt_bind_id(q, 3, token ? by->tenant : nobody);
  stmt_bind_id(q, 4, token ? nobody : by->id);
  switch (stmt_step(q, err)) {
  case STMT_ROW: return true;
  case STMT_DONE: return err_set_at(err, ERR_NOT_FOUND, "user_id", "There is no user %s.", id_format(user).text);
  case STMT_ERROR: return false;
  }
  return false;
}

static bool other_owner(struct store_conn *conn, struct id user, struct id tenant, struct err *err) {
  AUTO(stmt_close)
  struct stmt *q =
      stmt_open(conn, "SELECT 1 FROM memberships WHERE tenant_id = ?1 AND role = 4 AND user_id <> ?2 LIMIT 1", err);
  if (!q) return false;
  stmt_bind_id(q, 1, tenant);
  stmt_bind_id(q, 2, user);
  switch (stmt_step(q, err)) {
  case STMT_ROW: return true;
  case STMT_DONE:
    return err_set(err, ERR_CONFLICT, "This is the last owner of the tenant; make somebody else an owner first.");
  case STMT_ERROR: return false;
  }
  return false;
}

bool membership_set(struct store_conn *conn, const struct principal *by, struct id user, struct id tenant,
                    enum role role, int64_t now_ns, struct err *err) {
  enum role before;
  if (!grant_check(conn, by, tenant, role, err)) return false;
  if (!user_known(conn, by, user, err)) return false;
  if (!membership_row_get(conn, user, tenant, &before, err)) return false;
  if (before == role) return true;
  // Taking a role away needs the power to give it.
  if (before > role && !grant_check(conn, by, tenant, before, err)) return false;
  if (before == ROLE_OWNER && !other_owner(conn, user, tenant, err)) return false;
  if (!membership_row_put(conn, user, tenant, role, now_ns, err)) return false;
  struct ledger_details details = ledger_word("role", role_name(role));
  return ledger_append(conn, tenant, str_c(by->actor), "membership.set", "user", user, str_c(details.json), now_ns,
                       err);
}

/// Every statement has the columns of the organization, then the role there.
static struct stmt *list_open(struct store_conn *conn, const struct principal *who, struct err *err) {
  if (who->kind == PRINCIPAL_TOKEN) {
    struct stmt *q = stmt_open(conn,
                               "SELECT id, tenant_id, name, slug, created_at, ?2 FROM organizations"
                               " WHERE tenant_id = ?1",
                               err);
    if (!q) return NULL;
    stmt_bind_id(q, 1, who->tenant);
    stmt_bind_int(q, 2, who->role);
    return q;
  }
  if (who->superadmin)
    return stmt_open(conn, "SELECT id, tenant_id, name, slug, created_at, 4 FROM organizations ORDER BY id", err);
  struct stmt *q = stmt_open(conn,
                             "SELECT o.id, o.tenant_id, o.name, o.slug, o.created_at, m.role FROM memberships AS m"
                             " JOIN organizations AS o ON o.tenant_id = m.tenant_id WHERE m.user_id = ?1 ORDER BY o.id",
                             err);
  if (q) stmt_bind_id(q, 1, who->id);
  return q;
}

bool membership_list(struct store_conn *conn, const struct principal *who,
                     void (*visit)(void *ctx, const struct organization *org, enum role role), void *ctx,
                     struct err *err) {
  AUTO(stmt_close) struct stmt *q = list_open(conn, who, err);
  if (!q) return false;
  for (;;) {
    switch (stmt_step(q, err)) {
    case STMT_ROW: {
      struct organization org = {.id = stmt_id(q, 0),
                                 .tenant_id = stmt_id(q, 1),
                                 .name = stmt_str(q, 2),
                                 .slug = stmt_str(q, 3),
                                 .created_at = stmt_int(q, 4)};
      visit(ctx, &org, (enum role)stmt_int(q, 5));
      break;
    }
    case STMT_DONE: return true;
    case STMT_ERROR: return false;
    }
  }
}
