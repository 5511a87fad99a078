// SPDX-License-Identifier: Apache-2.0
// Login, logout, and who is asking. A login that fails is durable before it is answered, so that the count that locks
// an e-mail can't be outrun.
#include "api/platform_login.h"

#include "access/accounts.h"
#include "api/call.h"
#include "api/passwords.h"
#include "api/platform_documents.h"
#include "base/mem.h"
#include "base/secret.h"

// ---- login ----

struct login {
  struct login_lookup found;
  struct user user;
  char token[SECRET_TOKEN_MAX];
  int64_t expires_at;
};

static bool apply_success(struct api_call *call, struct store_conn *conn, struct err *err) {
  struct login *login = call->state;
  bool user_found;
  return login_record_success(conn, login->found.user, call->now_ns, login->token, &login->expires_at, err) &&
         user_get(conn, call->arena, login->found.user, &login->user, &user_found, err);
}

static void reply_success(struct api_call *call) {
  const struct login *login = call->state;
  struct json_writer *out = &call->out;
  jw_object(out, NULL);
  jw_c(out, "token", login->token);
  write_time(out, "expires_at", login->expires_at);
  write_user(out, "user", &login->user);
  jw_object_end(out);
  call_ok(call);
}

static bool apply_failure(struct api_call *call, struct store_conn *conn, struct err *err) {
  return login_record_failure(conn, call_text(call, "email"), call->now_ns, err);
}

static void reply_failure(struct api_call *call) {
  err_set(&call->err, ERR_UNAUTHENTICATED, "There is no account with this e-mail and password.");
  call_fail(call, &call->err);
}

static void checked(struct api_call *call, bool matches) {
  const struct login *login = call->state;
  if (matches && login->found.known)
    call_mutate(call, apply_success, reply_success);
  else
    call_mutate(call, apply_failure, reply_failure);
}

static bool check_set_up(struct api_call *call) {
  bool required;
  return accounts_setup_required(call_reader(call), &required, &call->err) &&
         (!required || err_set(&call->err, ERR_SETUP_REQUIRED,
                               "Nobody has set up this engine yet: run `olivares setup`, or POST /v1/setup with the "
                               "token that it printed."));
}

void auth_login(struct api_call *call) {
  struct login *login = arena_alloc(call->arena, sizeof *login);
  call->state = login;
  if (!check_set_up(call) ||
      !login_look_up(call_reader(call), call_text(call, "email"), call->now_ns, &login->found, &call->err)) {
    call_fail(call, &call->err);
    return;
  }
  password_check_hash(call, login->found.password_hash, call_text(call, "password"), checked);
}

// ---- logout ----

static bool apply_logout(struct api_call *call, struct store_conn *conn, struct err *err) {
  return logout(conn, call->exchange->request.authorization, &call->who, call->now_ns, err);
}

static void reply_logout(struct api_call *call) {
  jw_object(&call->out, NULL);
  jw_bool(&call->out, "logged_out", true);
  jw_object_end(&call->out);
  call_ok(call);
}

void auth_logout(struct api_call *call) {
  call_mutate(call, apply_logout, reply_logout);
}

// ---- who is asking ----

static const char *kind_name(enum principal_kind kind) {
  switch (kind) {
  case PRINCIPAL_USER: return "user";
  case PRINCIPAL_TOKEN: return "token";
  case PRINCIPAL_LOCAL: return "local";
  }
  return NULL;
}

/// Where requests without a tenant go. Being in none, or in several, is an answer here and no failure; a tenant that
/// was named is entered or refused like anywhere else.
static bool enter(struct api_call *call) {
  struct str named = call->exchange->request.tenant;
  if (str_present(named)) return principal_enter(call_reader(call), &call->who, named, &call->err);
  struct err nowhere = {0};
  if (!principal_enter(call_reader(call), &call->who, named, &nowhere)) call->who.tenant = (struct id){{0}};
  return true;
}

static bool write_own_user(struct api_call *call) {
  if (call->who.kind != PRINCIPAL_USER) return true;
  struct user user;
  bool found;
  if (!user_get(call_reader(call), call->arena, call->who.id, &user, &found, &call->err)) return false;
  if (found) write_user(&call->out, "user", &user);
  return true;
}

static void write_place(void *ctx, const struct organization *org, enum role role) {
  struct json_writer *out = ctx;
  jw_object(out, NULL);
  write_id(out, "tenant", org->tenant_id);
  jw_str(out, "organization", org->name);
  jw_str(out, "slug", org->slug);
  jw_c(out, "role", role_name(role));
  jw_object_end(out);
}

static bool write_whoami(struct api_call *call) {
  struct json_writer *out = &call->out;
  jw_object(out, NULL);
  jw_c(out, "kind", kind_name(call->who.kind));
  jw_c(out, "actor", call->who.actor);
  if (!write_own_user(call)) return false;
  jw_bool(out, "superadmin", call->who.superadmin);
  if (!id_is_zero(call->who.tenant)) {
    write_id(out, "tenant", call->who.tenant);
    jw_c(out, "role", role_name(call->who.role));
  }
  jw_array(out, "memberships");
  if (!membership_list(call_reader(call), &call->who, write_place, out, &call->err)) return false;
  jw_array_end(out);
  jw_object_end(out);
  return true;
}

void whoami_get(struct api_call *call) {
  if (enter(call) && write_whoami(call))
    call_ok(call);
  else
    call_fail(call, &call->err);
}
