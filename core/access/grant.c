// SPDX-License-Identifier: Apache-2.0
// Who holds which role where, and who may give it on. The one place that knows that superadmins and the local owner are
// owners everywhere and that an API token never leaves its tenant.
#include "access/grant.h"

#include "access/account_rows.h"

bool grant_held(struct store_conn *conn, const struct principal *who, struct id tenant, enum role *ret_role,
                struct err *err) {
  if (who->kind == PRINCIPAL_TOKEN) {
    *ret_role = id_eq(who->tenant, tenant) ? who->role : ROLE_NONE;
    return true;
  }
  if (!who->superadmin) return membership_row_get(conn, who->id, tenant, ret_role, err);
  bool exists;
  if (!tenant_exists(conn, tenant, &exists, err)) return false;
  *ret_role = exists ? ROLE_OWNER : ROLE_NONE;
  return true;
}

bool grant_check(struct store_conn *conn, const struct principal *by, struct id tenant, enum role role,
                 struct err *err) {
  enum role held;
  if (!grant_held(conn, by, tenant, &held, err)) return false;
  if (held == ROLE_NONE) return grant_no_tenant(tenant, err);
  if (held < ROLE_ADMIN)
    return err_set(err, ERR_FORBIDDEN, "Giving the role %s takes the role admin; yours is %s. Ask an admin or owner.",
                   role_name(role), role_name(held));
  if (role > held)
    return err_set(err, ERR_FORBIDDEN, "The role %s can't be given by the role %s, which is less. Ask an %s.",
                   role_name(role), role_name(held), role_name(role));
  return true;
}

bool grant_no_tenant(struct id tenant, struct err *err) {
  return err_set(err, ERR_FORBIDDEN,
                 "You have no role in a tenant %s, or there is none; GET /v1/whoami lists the tenants you can enter.",
                 id_format(tenant).text);
}
