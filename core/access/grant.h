// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "access/principal.h"

/// The role a principal holds in `tenant` right now; ROLE_NONE when it has none or there is no such tenant.
bool grant_held(struct store_conn *conn, const struct principal *who, struct id tenant, enum role *ret_role,
                struct err *err);

/// ERR_FORBIDDEN unless `by` may give `role` in `tenant`: that takes an admin, and nobody gives more than they hold.
/// The role held is read again in the caller's transaction, so that one taken away meanwhile gives nothing.
bool grant_check(struct store_conn *conn, const struct principal *by, struct id tenant, enum role role,
                 struct err *err);

/// The sentence for a tenant without a role, the same whether it exists or not. Returns false.
bool grant_no_tenant(struct id tenant, struct err *err);
