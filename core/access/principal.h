// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/id.h"
#include "base/str.h"
#include "store/store.h"

/// What somebody may do in a tenant. Ordered: each role includes the ones before it.
enum role { ROLE_NONE, ROLE_VIEWER, ROLE_EDITOR, ROLE_ADMIN, ROLE_OWNER };
const char *role_name(enum role role); ///< "viewer", …; ROLE_NONE is "none"
bool role_parse(struct str text, enum role *ret_role);
extern const char *const role_names[]; ///< the four that can be given, NULL-terminated

enum principal_kind {
  PRINCIPAL_USER,  ///< a login session
  PRINCIPAL_TOKEN, ///< an API token, bound to one tenant and role
  PRINCIPAL_LOCAL, ///< the person who owns the data directory, without a server
};

enum { ACTOR_TEXT_MAX = 48 };

/// Who is asking, and (after principal_enter) in which tenant.
struct principal {
  enum principal_kind kind;
  struct id id; ///< of the user or the API token; zero for local
  bool superadmin;
  struct id tenant;           ///< zero before principal_enter; of an API token from the start
  enum role role;             ///< in that tenant; of the local principal from the start
  char actor[ACTOR_TEXT_MAX]; ///< "user:<uuid>", "token:<uuid>" or "local": what ledger and records name
};

/// Finds who holds a bearer token (RFC 6750). `authorization` is the header's value, absent when there was none.
/// ERR_UNAUTHENTICATED otherwise, with a sentence of its own for missing, malformed, unknown, expired and revoked (for
/// a login session: ended by a logout). Tokens are looked up by their SHA-256.
bool principal_authenticate(struct store_conn *conn, struct str authorization, int64_t now_ns,
                            struct principal *ret_who, struct err *err);

/// The owner of the data directory: superadmin, owner in every tenant.
void principal_local(struct principal *ret_who);

/// Chooses the tenant: the one named by `tenant_header`, else the principal's only one. Sets tenant and role.
/// ERR_BAD_REQUEST when the header is not an id, or absent with several tenants (the message says to send
/// X-Olivares-Tenant / --tenant); ERR_FORBIDDEN, in the same words whether it exists or not, when the principal has no
/// role there. A superadmin is owner everywhere a tenant exists, so with several of them a superadmin names one. A
/// local principal without a header gets the first organization made; ERR_SETUP_REQUIRED when there is none.
bool principal_enter(struct store_conn *conn, struct principal *who, struct str tenant_header, struct err *err);

/// ERR_FORBIDDEN unless the role suffices; the message names the role needed and the one held.
bool principal_require(const struct principal *who, enum role needed, struct err *err);
