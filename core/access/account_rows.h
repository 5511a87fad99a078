// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "access/accounts.h"

// Rows of organizations, users and memberships, without permission checks and without the ledger: for the flows of this
// folder, which add both. Returned text is in `arena`.

bool organization_row_add(struct store_conn *conn, struct arena *arena, struct str name, struct str slug,
                          int64_t now_ns, struct organization *ret_org,
                          struct err *err); ///< ERR_CONFLICT at "slug"
/// The organization made first.
bool organization_row_first(struct store_conn *conn, struct arena *arena, struct organization *ret_org, bool *ret_found,
                            struct err *err);
/// Also takes `slug`, unless another organization has it.
bool organization_row_rename(struct store_conn *conn, struct id organization, struct str name, struct str slug,
                             struct err *err);
bool tenant_exists(struct store_conn *conn, struct id tenant, bool *ret_exists, struct err *err);

bool user_row_add(struct store_conn *conn, struct arena *arena, struct str email, const char *password_hash,
                  struct str display_name, bool superadmin, int64_t now_ns, struct user *ret_user,
                  struct err *err); ///< folds and checks the e-mail; ERR_CONFLICT at "email"

bool membership_row_put(struct store_conn *conn, struct id user, struct id tenant, enum role role, int64_t now_ns,
                        struct err *err);
bool membership_row_get(struct store_conn *conn, struct id user, struct id tenant, enum role *ret_role,
                        struct err *err); ///< ROLE_NONE when there is none
/// The tenant a user belonged to first; zero when there is none.
bool membership_row_first(struct store_conn *conn, struct id user, struct id *ret_tenant, struct err *err);
