// SPDX-License-Identifier: Apache-2.0
// Users: making and reading them. An e-mail is unique in the whole engine, whatever the tenant: a person has one
// account and any number of memberships (membership.c).
#include "access/account_rows.h"
#include "access/accounts.h"
#include "access/grant.h"
#include "access/ledger.h"
#include "store/stmt.h"

bool user_create(struct store_conn *conn, struct arena *arena, const struct principal *by, struct str email,
                 const char *password_hash, struct str display_name, struct id tenant, enum role role, int64_t now_ns,
                 struct user *ret_user, struct err *err) {
  if (!grant_check(conn, by, tenant, role, err)) return false;
  struct user user;
  if (!user_row_add(conn, arena, email, password_hash, display_name, false, now_ns, &user, err)) return false;
  if (!membership_row_put(conn, user.id, tenant, role, now_ns, err)) return false;
  struct ledger_details details = ledger_word("role", role_name(role));
  if (!ledger_append(conn, tenant, str_c(by->actor), "user.create", "user", user.id, str_c(details.json), now_ns, err))
    return false;
  *ret_user = user;
  return true;
}

bool user_get(struct store_conn *conn, struct arena *arena, struct id user, struct user *ret_user, bool *ret_found,
              struct err *err) {
  AUTO(stmt_close)
  struct stmt *q =
      stmt_open(conn, "SELECT id, email, display_name, superadmin, created_at FROM users WHERE id = ?1", err);
  if (!q) return false;
  stmt_bind_id(q, 1, user);
  enum stmt_result step = stmt_step(q, err);
  if (step == STMT_ERROR) return false;
  *ret_found = step == STMT_ROW;
  if (step == STMT_ROW)
    *ret_user = (struct user){.id = stmt_id(q, 0),
                              .email = arena_str(arena, stmt_str(q, 1)),
                              .display_name = stmt_is_null(q, 2) ? STR_NONE : arena_str(arena, stmt_str(q, 2)),
                              .superadmin = stmt_bool(q, 3),
                              .created_at = stmt_int(q, 4)};
  return true;
}
