// SPDX-License-Identifier: Apache-2.0
// Organizations, users, memberships. Who may do what to which tenant is decided where it is done, in the transaction
// (core/access); here a request only says which.
#include "api/platform_accounts.h"

#include "access/accounts.h"
#include "api/call.h"
#include "api/passwords.h"
#include "api/platform_documents.h"
#include "api/platform_members.h"
#include "base/mem.h"

// ---- organizations ----

static bool apply_organization(struct api_call *call, struct store_conn *conn, struct err *err) {
  return organization_create(conn, call->arena, &call->who, call_text(call, "name"), call_text(call, "slug"),
                             call->now_ns, call->state, err);
}

static void reply_organization(struct api_call *call) {
  write_organization(&call->out, NULL, call->state);
  call_ok(call);
}

void orgs_create(struct api_call *call) {
  call->state = arena_alloc(call->arena, sizeof(struct organization));
  call_mutate(call, apply_organization, reply_organization);
}

static void write_item(void *ctx, const struct organization *org) {
  struct page_writer *page = ctx;
  if (page_item_id(page, org->id)) write_organization(&page->call->out, NULL, org);
}

void orgs_list(struct api_call *call) {
  struct page_writer page;
  page_begin(&page, call);
  if (!organization_list(call_reader(call), call->page.oldest_first, page_after_id(&call->page), call->page.limit + 1,
                         write_item, &page, &call->err)) {
    call_fail(call, &call->err);
    return;
  }
  page_end(&page);
  call_ok(call);
}

// ---- users ----

struct member {
  struct id tenant;
  enum role role;
  const char *password_hash;
  struct user user;
};

static bool apply_user(struct api_call *call, struct store_conn *conn, struct err *err) {
  struct member *member = call->state;
  return user_create(conn, call->arena, &call->who, call_text(call, "email"), member->password_hash,
                     call_text(call, "display_name"), member->tenant, member->role, call->now_ns, &member->user, err);
}

static void reply_user(struct api_call *call) {
  const struct member *member = call->state;
  struct json_writer *out = &call->out;
  jw_object(out, NULL);
  write_user_members(out, &member->user);
  write_id(out, "tenant", member->tenant);
  jw_c(out, "role", role_name(member->role));
  jw_object_end(out);
  call_ok(call);
}

static void with_hash(struct api_call *call, const char *hash) {
  ((struct member *)call->state)->password_hash = hash;
  call_mutate(call, apply_user, reply_user);
}

void users_create(struct api_call *call) {
  struct member *member = arena_alloc(call->arena, sizeof *member);
  struct str password = call_text(call, "password");
  member->role = role_member(call, ROLE_VIEWER);
  if (!tenant_member(call, &member->tenant) || !email_check(call_text(call, "email"), &call->err) ||
      !password_check(password, &call->err)) {
    call_fail(call, &call->err);
    return;
  }
  call->state = member;
  password_hash(call, password, with_hash);
}

// ---- memberships ----

struct membership {
  struct id user, tenant;
  enum role role;
};

static bool apply_membership(struct api_call *call, struct store_conn *conn, struct err *err) {
  const struct membership *m = call->state;
  return membership_set(conn, &call->who, m->user, m->tenant, m->role, call->now_ns, err);
}

static void reply_membership(struct api_call *call) {
  const struct membership *m = call->state;
  jw_object(&call->out, NULL);
  write_id(&call->out, "user_id", m->user);
  write_id(&call->out, "tenant", m->tenant);
  jw_c(&call->out, "role", role_name(m->role));
  jw_object_end(&call->out);
  call_ok(call);
}

void memberships_set(struct api_call *call) {
  struct membership *m = arena_alloc(call->arena, sizeof *m);
  m->role = role_member(call, ROLE_NONE);
  if (!id_member(call, "user_id", &m->user) || !tenant_member(call, &m->tenant)) {
    call_fail(call, &call->err);
    return;
  }
  call->state = m;
  call_mutate(call, apply_membership, reply_membership);
}
