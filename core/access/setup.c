// SPDX-License-Identifier: Apache-2.0
// From an empty data directory to the first organization and the first user. Without a server there is an organization
// but no user; setting up a server later puts a user in front of that same organization, with all that is in it.
#include <stdio.h>

#include "access/account_rows.h"
#include "access/account_text.h"
#include "access/accounts.h"
#include "access/ledger.h"
#include "store/stmt.h"

/// A user made without a server is not enough: nobody could then create organizations over HTTP.
bool accounts_setup_required(struct store_conn *conn, bool *ret_required, struct err *err) {
  AUTO(stmt_close) struct stmt *q = stmt_open(conn, "SELECT 1 FROM users WHERE superadmin LIMIT 1", err);
  if (!q) return false;
  enum stmt_result step = stmt_step(q, err);
  if (step == STMT_ERROR) return false;
  *ret_required = step == STMT_DONE;
  return true;
}

static bool first_make(struct store_conn *conn, struct arena *arena, const char *actor, struct str name, int64_t now_ns,
                       struct organization *ret_org, struct err *err) {
  char slug[SLUG_MAX_BYTES + 1];
  slug_from_name(name, slug);
  struct organization org;
  if (!organization_row_add(conn, arena, name, str_c(slug), now_ns, &org, err)) return false;
  struct ledger_details details = ledger_word("slug", slug);
  if (!ledger_append(conn, org.tenant_id, str_c(actor), "organization.create", "organization", org.id,
                     str_c(details.json), now_ns, err))
    return false;
  *ret_org = org;
  return true;
}

bool accounts_local_organization(struct store_conn *conn, struct arena *arena, int64_t now_ns,
                                 struct organization *ret_org, struct err *err) {
  bool found;
  struct organization org;
  if (!organization_row_first(conn, arena, &org, &found, err)) return false;
  if (!found && !first_make(conn, arena, "local", STR("local"), now_ns, &org, err)) return false;
  *ret_org = org;
  return true;
}

/// The organization the first user gets: the first one made, under `name` when one is given, or a new one.
static bool first_take(struct store_conn *conn, struct arena *arena, const char *actor, struct str name, int64_t now_ns,
                       struct organization *ret_org, struct err *err) {
  bool found;
  if (!organization_row_first(conn, arena, ret_org, &found, err)) return false;
  if (!found) return first_make(conn, arena, actor, name.len > 0 ? name : STR("default"), now_ns, ret_org, err);
  if (name.len == 0) return true;
  char slug[SLUG_MAX_BYTES + 1];
  slug_from_name(name, slug);
  return organization_row_rename(conn, ret_org->id, name, str_c(slug), err) &&
         organization_row_first(conn, arena, ret_org, &found, err);
}

bool accounts_setup(struct store_conn *conn, struct arena *arena, struct str email, const char *password_hash,
                    struct str organization, int64_t now_ns, struct user *ret_user, struct organization *ret_org,
                    struct err *err) {
  bool required;
  if (!accounts_setup_required(conn, &required, err)) return false;
  if (!required)
    return err_set(err, ERR_SETUP_COMPLETE, "This engine is set up already; log in, or ask an admin for an account.");

  struct user user;
  if (!user_row_add(conn, arena, email, password_hash, STR_NONE, true, now_ns, &user, err)) return false;
  char actor[ACTOR_TEXT_MAX];
  snprintf(actor, sizeof actor, "user:%s", id_format(user.id).text);
  struct organization org;
  if (!first_take(conn, arena, actor, organization, now_ns, &org, err)) return false;
  if (!membership_row_put(conn, user.id, org.tenant_id, ROLE_OWNER, now_ns, err)) return false;
  struct ledger_details details = ledger_word("slug", org.slug.data);
  if (!ledger_append(conn, org.tenant_id, str_c(actor), "setup", "organization", org.id, str_c(details.json), now_ns,
                     err))
    return false;
  *ret_user = user;
  *ret_org = org;
  return true;
}
