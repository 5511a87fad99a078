// SPDX-License-Identifier: Apache-2.0
// Login and logout. The caller checks the password on a worker thread between looking up and recording.
//
// Nothing tells a stranger whether an e-mail has an account: an unknown one is checked against a made-up hash of the
// same cost, fails with the same answer, and is locked by the same count. The slot of failures is the digest of what
// was typed: it has one size, and what people type into the wrong field is not kept. Whether an e-mail is locked is
// computed from the failures themselves, so there is no second truth to keep, and they are rows: a restart forgets
// nothing.
#include <inttypes.h>
#include <stdio.h>

#include "access/account_rows.h"
#include "access/account_text.h"
#include "access/accounts.h"
#include "access/bearer.h"
#include "access/ledger.h"
#include "base/hash.h"
#include "store/stmt.h"

#define SECOND_NS  INT64_C(1000000000)
#define LOCK_NS    (LOGIN_LOCK_S * SECOND_NS)
#define SESSION_NS (LOGIN_SESSION_S * SECOND_NS)

/// Argon2id of 32 random bytes nobody kept, with the parameters of secret_password_hash.
static const char unknown_hash[] =
    "$argon2id$v=19$m=65536,t=2,p=1$ovjeLaqiSvNbRihR0PR3mA$vc7jHUKkBJhSwvqzhNbwqykEKzjVF3Qm2v5NTagHYeg";

/// Until when the e-mail is locked: LOGIN_LOCK_S from the newest failure, when the LOGIN_MAX_FAILURES newest lie within
/// LOGIN_LOCK_S; 0 when not.
static bool locked_until(struct store_conn *conn, const struct digest *email, int64_t now_ns, int64_t *ret_until,
                         struct err *err) {
  AUTO(stmt_close)
  struct stmt *q = stmt_open(conn,
                             "SELECT count(*), max(failed_at), min(failed_at) FROM (SELECT failed_at"
                             " FROM login_failures WHERE email_digest = ?1 ORDER BY failed_at DESC LIMIT ?2)",
                             err);
  if (!q) return false;
  stmt_bind_digest(q, 1, email);
  stmt_bind_int(q, 2, LOGIN_MAX_FAILURES);
  if (stmt_step(q, err) != STMT_ROW) return false;
  int64_t newest = stmt_int(q, 1), oldest = stmt_int(q, 2);
  bool locked = stmt_int(q, 0) == LOGIN_MAX_FAILURES && newest - oldest < LOCK_NS && now_ns < newest + LOCK_NS;
  *ret_until = locked ? newest + LOCK_NS : 0;
  return true;
}

static bool lock_check(struct store_conn *conn, const struct digest *email, int64_t now_ns, struct err *err) {
  int64_t until;
  if (!locked_until(conn, email, now_ns, &until, err)) return false;
  if (until == 0) return true;
  int64_t wait_s = (until - now_ns + SECOND_NS - 1) / SECOND_NS;
  err_set(err, ERR_RATE_LIMITED, "Too many failed logins for this e-mail; try again in %" PRId64 " s.", wait_s);
  err->retry_after_s = wait_s;
  return false;
}

bool login_look_up(struct store_conn *conn, struct str email, int64_t now_ns, struct login_lookup *ret_lookup,
                   struct err *err) {
  struct email folded;
  if (!email_fold(email, &folded, err)) return false;
  struct digest key = hash_of(email_str(&folded));
  if (!lock_check(conn, &key, now_ns, err)) return false;

  AUTO(stmt_close) struct stmt *q = stmt_open(conn, "SELECT id, password_hash FROM users WHERE email = ?1", err);
  if (!q) return false;
  stmt_bind_str(q, 1, email_str(&folded));
  enum stmt_result step = stmt_step(q, err);
  if (step == STMT_ERROR) return false;
  bool known = step == STMT_ROW;
  struct str hash = known ? stmt_str(q, 1) : str_c(unknown_hash);
  struct login_lookup lookup = {.known = known};
  if (known) lookup.user = stmt_id(q, 0);
  snprintf(lookup.password_hash, sizeof lookup.password_hash, "%.*s", STR_ARG(hash));
  *ret_lookup = lookup;
  return true;
}

/// An act of a login goes to the ledger of the tenant the user belonged to first; without one there is no ledger.
static bool login_ledger(struct store_conn *conn, struct id user, const char *actor, const char *action, int64_t now_ns,
                         struct err *err) {
  struct id tenant;
  if (!membership_row_first(conn, user, &tenant, err)) return false;
  if (id_is_zero(tenant)) return true;
  return ledger_append(conn, tenant, str_c(actor), action, "user", user, STR_NONE, now_ns, err);
}

static bool lock_ledger(struct store_conn *conn, const struct email *email, int64_t now_ns, struct err *err) {
  AUTO(stmt_close) struct stmt *q = stmt_open(conn, "SELECT id FROM users WHERE email = ?1", err);
  if (!q) return false;
  stmt_bind_str(q, 1, email_str(email));
  switch (stmt_step(q, err)) {
  case STMT_ROW: return login_ledger(conn, stmt_id(q, 0), "engine", "session.lock", now_ns, err);
  case STMT_DONE: return true;
  case STMT_ERROR: return false;
  }
  return false;
}

/// Adds a failure and forgets those that can't lock anything any more: strangers choose how many e-mails there are.
static bool failure_add(struct store_conn *conn, const struct digest *email, int64_t now_ns, struct err *err) {
  AUTO(stmt_close)
  struct stmt *old = stmt_open(conn, "DELETE FROM login_failures WHERE failed_at <= ?1", err);
  if (!old) return false;
  stmt_bind_int(old, 1, now_ns - 2 * LOCK_NS);
  if (!stmt_run(&old, err)) return false;

  AUTO(stmt_close)
  struct stmt *q = stmt_open(conn, "INSERT INTO login_failures (email_digest, failed_at) VALUES (?1, ?2)", err);
  if (!q) return false;
  stmt_bind_digest(q, 1, email);
  stmt_bind_int(q, 2, now_ns);
  return stmt_run(&q, err);
}

bool login_record_failure(struct store_conn *conn, struct str email, int64_t now_ns, struct err *err) {
  struct email folded;
  if (!email_fold(email, &folded, err)) return false;
  struct digest key = hash_of(email_str(&folded));
  int64_t until;
  if (!locked_until(conn, &key, now_ns, &until, err)) return false;
  // An attempt that began before the lock does not make it longer.
  if (until != 0) return true;
  if (!failure_add(conn, &key, now_ns, err)) return false;
  if (!locked_until(conn, &key, now_ns, &until, err)) return false;
  return until == 0 || lock_ledger(conn, &folded, now_ns, err);
}

/// Refuses an e-mail locked meanwhile, so that attempts made at once get no more guesses than one after another.
static bool failures_clear(struct store_conn *conn, struct id user, int64_t now_ns, struct err *err) {
  AUTO(stmt_close) struct stmt *who = stmt_open(conn, "SELECT email FROM users WHERE id = ?1", err);
  if (!who) return false;
  stmt_bind_id(who, 1, user);
  enum stmt_result step = stmt_step(who, err);
  if (step == STMT_ERROR) return false;
  if (step == STMT_DONE) return err_set(err, ERR_UNAUTHENTICATED, "This account is gone; ask an admin for another.");
  struct digest key = hash_of(stmt_str(who, 0));
  if (!lock_check(conn, &key, now_ns, err)) return false;

  AUTO(stmt_close) struct stmt *q = stmt_open(conn, "DELETE FROM login_failures WHERE email_digest = ?1", err);
  if (!q) return false;
  stmt_bind_digest(q, 1, &key);
  return stmt_run(&q, err);
}

/// Expired sessions stay as long again, so that their holder reads "expired" rather than "unknown".
static bool sessions_forget(struct store_conn *conn, int64_t now_ns, struct err *err) {
  AUTO(stmt_close) struct stmt *q = stmt_open(conn, "DELETE FROM login_sessions WHERE expires_at <= ?1", err);
  if (!q) return false;
  stmt_bind_int(q, 1, now_ns - SESSION_NS);
  return stmt_run(&q, err);
}

static bool session_add(struct store_conn *conn, struct id user, const char *token, int64_t now_ns, struct err *err) {
  struct digest digest = bearer_digest(token);
  AUTO(stmt_close)
  struct stmt *q = stmt_open(conn,
                             "INSERT INTO login_sessions (digest, user_id, created_at, expires_at)"
                             " VALUES (?1, ?2, ?3, ?4)",
                             err);
  if (!q) return false;
  stmt_bind_digest(q, 1, &digest);
  stmt_bind_id(q, 2, user);
  stmt_bind_int(q, 3, now_ns);
  stmt_bind_int(q, 4, now_ns + SESSION_NS);
  return stmt_run(&q, err);
}

bool login_record_success(struct store_conn *conn, struct id user, int64_t now_ns, char ret_token[SECRET_TOKEN_MAX],
                          int64_t *ret_expires_at, struct err *err) {
  if (!failures_clear(conn, user, now_ns, err)) return false;
  if (!sessions_forget(conn, now_ns, err)) return false;
  char token[SECRET_TOKEN_MAX];
  secret_token(BEARER_SESSION_PREFIX, token);
  char actor[ACTOR_TEXT_MAX];
  snprintf(actor, sizeof actor, "user:%s", id_format(user).text);
  if (!session_add(conn, user, token, now_ns, err)) return false;
  if (!login_ledger(conn, user, actor, "session.login", now_ns, err)) return false;
  memcpy(ret_token, token, sizeof token);
  *ret_expires_at = now_ns + SESSION_NS;
  return true;
}

bool logout(struct store_conn *conn, struct str authorization, const struct principal *who, int64_t now_ns,
            struct err *err) {
  struct bearer bearer;
  if (who->kind != PRINCIPAL_USER || !bearer_read(authorization, &bearer) || bearer.kind != PRINCIPAL_USER)
    return err_set(err, ERR_BAD_REQUEST,
                   "Only a login session can be logged out; an API token is revoked with DELETE /v1/tokens/{id}.");
  AUTO(stmt_close)
  struct stmt *q = stmt_open(conn,
                             "UPDATE login_sessions SET revoked_at = ?3"
                             " WHERE digest = ?1 AND user_id = ?2 AND revoked_at IS NULL",
                             err);
  if (!q) return false;
  stmt_bind_digest(q, 1, &bearer.digest);
  stmt_bind_id(q, 2, who->id);
  stmt_bind_int(q, 3, now_ns);
  if (!stmt_run(&q, err)) return false;
  if (stmt_changes(conn) == 0) return true;
  return login_ledger(conn, who->id, who->actor, "session.logout", now_ns, err);
}
