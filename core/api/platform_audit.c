// SPDX-License-Identifier: Apache-2.0
// The ledger over HTTP. Recomputing the chain of a long one takes seconds, so it runs on the worker thread over a
// connection of its own.
#include "api/platform_audit.h"

#include "access/audit.h"
#include "api/call.h"
#include "api/call_work.h"
#include "api/platform_documents.h"
#include "base/mem.h"

// ---- reading ----

static void write_item(void *ctx, const struct audit_row *row) {
  struct page_writer *page = ctx;
  if (page_item_number(page, row->seq)) write_audit_entry(&page->call->out, row);
}

/// An actor that can't be anybody would look like one who did nothing.
static bool check_actor(struct api_call *call) {
  struct str actor = call_param(call, "actor"), rest = actor;
  if (!str_present(actor) || str_eq(actor, STR("local")) || str_eq(actor, STR("engine"))) return true;
  struct str kind = str_cut(&rest, ':');
  struct id id;
  return ((str_eq(kind, STR("user")) || str_eq(kind, STR("token"))) && id_parse(rest, &id)) ||
         err_set_at(&call->err, ERR_BAD_REQUEST, "actor", "Expected user:<id>, token:<id>, local or engine.");
}

void audit_get(struct api_call *call) {
  struct page_writer page;
  page_begin(&page, call);
  if (!check_actor(call) ||
      !audit_list(call_reader(call), call->tenant, call_param(call, "action"), call_param(call, "actor"),
                  !call->page.oldest_first, page_after_number(&call->page, 0), call->page.limit + 1, write_item, &page,
                  &call->err)) {
    call_fail(call, &call->err);
    return;
  }
  page_end(&page);
  call_ok(call);
}

// ---- verifying ----

struct audit_check {
  struct api_call *call;
  struct audit_report report;
  bool ok;
};

static void check_work(void *ctx) {
  struct audit_check *check = ctx;
  struct api_call *call = check->call;
  struct store_conn *conn;
  if (!store_reader_open(call->config->store, &conn, &call->err)) return;
  check->ok = audit_verify(conn, call->tenant, &check->report, &call->err);
  store_reader_close(conn);
}

static void check_done(void *ctx) {
  const struct audit_check *check = ctx;
  struct api_call *call = check->call;
  if (!check->ok) {
    call_fail(call, &call->err);
    return;
  }
  write_audit_report(&call->out, &check->report);
  call_ok(call);
}

void audit_check(struct api_call *call) {
  struct audit_check *check = arena_alloc(call->arena, sizeof *check);
  check->call = call;
  call_work(call, check_work, check_done, check);
}
