// SPDX-License-Identifier: Apache-2.0
// API tokens over HTTP.
#include "api/platform_tokens.h"

#include "access/tokens.h"
#include "api/call.h"
#include "api/platform_documents.h"
#include "api/platform_members.h"
#include "base/mem.h"

struct new_token {
  struct api_token token;
  char secret[SECRET_TOKEN_MAX];
};

static bool apply_create(struct api_call *call, struct store_conn *conn, struct err *err) {
  struct new_token *made = call->state;
  // A token is made in the tenant one is in. The one that the body names is entered for that, which is refused to who
  // has no role there.
  struct principal by = call->who;
  struct str tenant = call_text(call, "tenant");
  if (str_present(tenant) && !principal_enter(conn, &by, tenant, err)) return false;
  return token_create(conn, call->arena, &by, call_text(call, "name"), role_member(call, ROLE_NONE),
                      call_int(call, "expires_in_s", 0), call->now_ns, &made->token, made->secret, err);
}

static void reply_create(struct api_call *call) {
  const struct new_token *made = call->state;
  write_token(&call->out, &made->token, made->secret);
  call_ok(call);
}

void tokens_create(struct api_call *call) {
  struct id tenant;
  if (!tenant_member(call, &tenant)) {
    call_fail(call, &call->err);
    return;
  }
  call->state = arena_alloc(call->arena, sizeof(struct new_token));
  call_mutate(call, apply_create, reply_create);
}

static void write_item(void *ctx, const struct api_token *token) {
  struct page_writer *page = ctx;
  if (page_item_id(page, token->id)) write_token(&page->call->out, token, NULL);
}

void tokens_list(struct api_call *call) {
  struct page_writer page;
  page_begin(&page, call);
  if (!token_list(call_reader(call), call->tenant, call->page.oldest_first, page_after_id(&call->page),
                  call->page.limit + 1, write_item, &page, &call->err)) {
    call_fail(call, &call->err);
    return;
  }
  page_end(&page);
  call_ok(call);
}

static bool apply_revoke(struct api_call *call, struct store_conn *conn, struct err *err) {
  bool found;
  return token_revoke(conn, &call->who, call->path_id, call->now_ns, &found, err) &&
         (found || err_set(err, ERR_NOT_FOUND, "There is no token with this id.")) &&
         token_get(conn, call->arena, call->tenant, call->path_id, call->state, &found, err);
}

static void reply_revoke(struct api_call *call) {
  write_token(&call->out, call->state, NULL);
  call_ok(call);
}

void tokens_revoke(struct api_call *call) {
  call->state = arena_alloc(call->arena, sizeof(struct api_token));
  call_mutate(call, apply_revoke, reply_revoke);
}
