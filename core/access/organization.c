// SPDX-License-Identifier: Apache-2.0
// Organizations: making and listing them. An organization and its tenant have ids of their own, so that what is stored
// under a tenant never depends on who the organization is. Making the first one is setup.c's.
#include "access/account_rows.h"
#include "access/accounts.h"
#include "access/ledger.h"
#include "store/stmt.h"

bool organization_create(struct store_conn *conn, struct arena *arena, const struct principal *by, struct str name,
                         struct str slug, int64_t now_ns, struct organization *ret_org, struct err *err) {
  if (!by->superadmin)
    return err_set(err, ERR_FORBIDDEN, "Only a superadmin makes organizations; ask whoever set this engine up.");
  if (!slug_check(slug, err)) return false;
  struct organization org;
  if (!organization_row_add(conn, arena, name, slug, now_ns, &org, err)) return false;
  struct ledger_details details = ledger_word("slug", org.slug.data);
  if (!ledger_append(conn, org.tenant_id, str_c(by->actor), "organization.create", "organization", org.id,
                     str_c(details.json), now_ns, err))
    return false;
  *ret_org = org;
  return true;
}

static struct stmt *list_open(struct store_conn *conn, bool oldest_first, struct err *err) {
  if (oldest_first)
    return stmt_open(conn,
                     "SELECT id, tenant_id, name, slug, created_at FROM organizations"
                     " WHERE id > ifnull(?1, x'') ORDER BY id LIMIT ?2",
                     err);
  return stmt_open(conn,
                   "SELECT id, tenant_id, name, slug, created_at FROM organizations"
                   " WHERE id < ifnull(?1, x'ffffffffffffffffffffffffffffffffff') ORDER BY id DESC LIMIT ?2",
                   err);
}

bool organization_list(struct store_conn *conn, bool oldest_first, struct id after, int limit,
                       void (*visit)(void *ctx, const struct organization *org), void *ctx, struct err *err) {
  AUTO(stmt_close) struct stmt *q = list_open(conn, oldest_first, err);
  if (!q) return false;
  stmt_bind_id(q, 1, after);
  stmt_bind_int(q, 2, limit);
  for (;;) {
    switch (stmt_step(q, err)) {
    case STMT_ROW: {
      struct organization org = {.id = stmt_id(q, 0),
                                 .tenant_id = stmt_id(q, 1),
                                 .name = stmt_str(q, 2),
                                 .slug = stmt_str(q, 3),
                                 .created_at = stmt_int(q, 4)};
      visit(ctx, &org);
      break;
    }
    case STMT_DONE: return true;
    case STMT_ERROR: return false;
    }
  }
}
