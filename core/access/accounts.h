// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "access/principal.h"
#include "base/err.h"
#include "base/id.h"
#include "base/mem.h"
#include "base/secret.h"
#include "base/str.h"
#include "store/store.h"

// Organizations, users, memberships, login sessions. Functions that write take the writer's connection and append to
// the ledger of the tenant concerned in the same transaction. Passwords arrive hashed: hashing belongs to a worker
// thread.

extern const struct store_migration access_migration; ///< this layer's tables; version 1

struct organization {
  struct id id, tenant_id;
  struct str name, slug; // borrowed or arena, see each function
  int64_t created_at;
};

struct user {
  struct id id;
  struct str email, display_name;
  bool superadmin;
  int64_t created_at;
};

enum { PASSWORD_MIN_BYTES = 10, PASSWORD_MAX_BYTES = 1024, EMAIL_MAX_BYTES = 254, SLUG_MAX_BYTES = 63 };
bool email_check(struct str email,
                 struct err *err); ///< something@something, no blanks or control bytes; ERR_BAD_REQUEST at "email"
bool password_check(struct str password, struct err *err); ///< bounds above; ERR_BAD_REQUEST at "password"
bool slug_check(struct str slug, struct err *err);         ///< [a-z0-9] and inner hyphens; ERR_BAD_REQUEST at "slug"

/// Whether nobody has been set up yet (no user).
bool accounts_setup_required(struct store_conn *conn, bool *ret_required, struct err *err);

/// The organization of a data directory used without a server: makes "local" when there is none at all. Returns the
/// first made. Text is in `arena`.
bool accounts_local_organization(struct store_conn *conn, struct arena *arena, int64_t now_ns,
                                 struct organization *ret_org, struct err *err);

/// First user (superadmin, owner) and first organization. An organization that exists already (made without a server)
/// becomes theirs and, when `organization` is given, takes that name and a slug made of it: nothing is lost. Without a
/// name a new one is called "default". ERR_SETUP_COMPLETE when a user exists. Text is in `arena`.
bool accounts_setup(struct store_conn *conn, struct arena *arena, struct str email, const char *password_hash,
                    struct str organization, int64_t now_ns, struct user *ret_user, struct organization *ret_org,
                    struct err *err);

/// ERR_FORBIDDEN unless `by` is a superadmin; ERR_BAD_REQUEST or ERR_CONFLICT (taken) at "slug". Text is in `arena`.
bool organization_create(struct store_conn *conn, struct arena *arena, const struct principal *by, struct str name,
                         struct str slug, int64_t now_ns, struct organization *ret_org, struct err *err);
/// Newest first unless `oldest_first`; entries beyond `after` (an organization's id; zero = from the start), at most
/// `limit`. Text is borrowed until the visitor returns.
bool organization_list(struct store_conn *conn, bool oldest_first, struct id after, int limit,
                       void (*visit)(void *ctx, const struct organization *org), void *ctx, struct err *err);

/// A user and their membership. ERR_CONFLICT at "email": it has an account already, in whatever tenant. ERR_FORBIDDEN:
/// `by` may not give that role in `tenant` (it takes an admin, and only an owner makes owners; read again in this
/// transaction). The e-mail is stored with its ASCII letters in lower case. Text is in `arena`.
bool user_create(struct store_conn *conn, struct arena *arena, const struct principal *by, struct str email,
                 const char *password_hash, struct str display_name, struct id tenant, enum role role, int64_t now_ns,
                 struct user *ret_user, struct err *err);
/// Gives an existing user a role in `tenant` (or changes it). ERR_NOT_FOUND at "user_id": no such user, or, but for a
/// superadmin, one who is in no tenant where `by` is an admin. ERR_FORBIDDEN
/// as for user_create, also when the role taken away is more than `by` holds. The last owner can't be made less
/// (ERR_CONFLICT). Appends to the ledger only when something changes.
bool membership_set(struct store_conn *conn, const struct principal *by, struct id user, struct id tenant,
                    enum role role, int64_t now_ns, struct err *err);
/// Visits the tenants of a principal with the role in each, oldest first. A superadmin or local principal sees all, an
/// API token its own. Text is borrowed until the visitor returns.
bool membership_list(struct store_conn *conn, const struct principal *who,
                     void (*visit)(void *ctx, const struct organization *org, enum role role), void *ctx,
                     struct err *err);
/// Reads the user behind a PRINCIPAL_USER. Text is in `arena`; display_name is absent when none was given.
bool user_get(struct store_conn *conn, struct arena *arena, struct id user, struct user *ret_user, bool *ret_found,
              struct err *err);

// Login. Three steps, since the password is checked on a worker thread in between: look up, check, then record the
// outcome. What happens to a login goes to the ledger of the tenant the user belonged to first.

enum { LOGIN_MAX_FAILURES = 5, LOGIN_LOCK_S = 900, LOGIN_SESSION_S = 12 * 3600 };

struct login_lookup {
  bool known;
  struct id user;
  char password_hash[SECRET_PASSWORD_HASH_MAX]; ///< of a made-up password when unknown, so that both take as long
};
/// ERR_RATE_LIMITED with retry_after_s while the e-mail is locked (known or not); ERR_BAD_REQUEST at "email". Any
/// connection.
bool login_look_up(struct store_conn *conn, struct str email, int64_t now_ns, struct login_lookup *ret_lookup,
                   struct err *err);
/// Counts a failure; LOGIN_MAX_FAILURES within LOGIN_LOCK_S lock the e-mail for LOGIN_LOCK_S. Survives a restart.
/// Then always ERR_UNAUTHENTICATED is the caller's to answer.
bool login_record_failure(struct store_conn *conn, struct str email, int64_t now_ns, struct err *err);
/// Clears failures, makes a session token ("ols_…") valid for LOGIN_SESSION_S. ERR_RATE_LIMITED when the e-mail was
/// locked since it was looked up: attempts made at once get no more guesses than one after another.
bool login_record_success(struct store_conn *conn, struct id user, int64_t now_ns, char ret_token[SECRET_TOKEN_MAX],
                          int64_t *ret_expires_at, struct err *err);
/// Ends the session `authorization` names. ERR_BAD_REQUEST when `who` came with anything else than a login session.
bool logout(struct store_conn *conn, struct str authorization, const struct principal *who, int64_t now_ns,
            struct err *err);
