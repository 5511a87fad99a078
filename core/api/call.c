// SPDX-License-Identifier: Apache-2.0
// Answering a call: success, error, event stream, and the one path of every mutation through the writer.
#include "api/call.h"

#include <assert.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>

#include "access/audit.h"
#include "api/api_private.h"
#include "base/log.h"

static void call_end(struct api_call *call) {
  json_decref(call->body);
  call->body = NULL;
  call->api->under_way--;
}

#ifdef OLIVARES_CHECK_REPLIES
/// In developer builds an answer that its declared shape does not allow is an error of the engine, so that the OpenAPI
/// document can't drift.
static bool reply_fits(struct api_call *call) {
  const struct schema *shape = call->route->reply;
  if (!shape || call->route->content_type) return true;
  json_t *reply = NULL;
  struct err err = {0};
  bool ok = json_read(buf_str(&call->exchange->body), &reply, &err);
  if (ok && call->route->paged) {
    size_t i;
    json_t *item;
    json_array_foreach(json_object_get(reply, "items"), i, item) ok = ok && schema_check(shape, item, &err);
  } else if (ok) {
    ok = schema_check(shape, reply, &err);
  }
  json_decref(reply);
  if (!ok)
    log_event(LOG_LEVEL_ERROR, "api.reply_shape", "operation=%s place=%s message=\"%s\"", call->route->operation,
              err.place, err.msg);
  return ok;
}

/// Likewise for an error that the route does not declare. Errors of no route have none.
static bool error_fits(const struct api_call *call, const struct err *err) {
  if (!call->route || route_errors(call->route) & ROUTE_ERR(err->code)) return true;
  log_event(LOG_LEVEL_ERROR, "api.reply_shape", "operation=%s undeclared=%s message=\"%s\"", call->route->operation,
            err_code_name(err->code), err->msg);
  return false;
}
#else
static bool reply_fits(struct api_call *call) {
  (void)call;
  return true;
}

static bool error_fits(const struct api_call *call, const struct err *err) {
  (void)call, (void)err;
  return true;
}
#endif

void call_ok_as(struct api_call *call, unsigned status) {
  struct http_exchange *exchange = call->exchange;
  if (exchange->body.over || !reply_fits(call)) {
    err_set(&call->err, ERR_INTERNAL,
            exchange->body.over ? "The answer is too large; ask for a smaller page."
                                : "The answer does not have its declared shape.");
    call_fail(call, &call->err);
    return;
  }
  if (call->route->content_type) exchange->content_type = call->route->content_type;
  call_end(call);
  http_reply(exchange, status);
}

void call_ok(struct api_call *call) {
  call_ok_as(call, call->route->status);
}

void write_error(struct json_writer *out, const struct err *err) {
  jw_object(out, NULL);
  jw_object(out, "error");
  jw_c(out, "code", err_code_name(err->code));
  jw_c(out, "message", err->msg);
  if (err->place[0] || err->retry_after_s) {
    jw_object(out, "details");
    if (err->place[0]) jw_c(out, "place", err->place);
    if (err->retry_after_s) jw_int(out, "retry_after_s", err->retry_after_s);
    jw_object_end(out);
  }
  jw_object_end(out);
  jw_object_end(out);
}

static void write_error_body(struct api_call *call, const struct err *err) {
  struct buf *body = &call->exchange->body;
  buf_clear(body);
  body->over = false;
  jw_init(&call->out, body);
  write_error(&call->out, err);
}

void call_fail_as(struct api_call *call, unsigned status, const struct err *err) {
  struct http_exchange *exchange = call->exchange;
  static const struct err undeclared = {.code = ERR_INTERNAL, .msg = "The route does not declare this error."};
  if (!error_fits(call, err)) {
    err = &undeclared;
    status = route_error_status(err->code);
  }
  if (err->code == ERR_INTERNAL)
    log_event(LOG_LEVEL_ERROR, "api.internal", "path=%.*s message=\"%s\"", STR_ARG(exchange->request.path), err->msg);
  write_error_body(call, err);
  exchange->retry_after_s = err->retry_after_s;
  call_end(call);
  http_reply(exchange, status);
}

void call_fail(struct api_call *call, const struct err *err) {
  call_fail_as(call, route_error_status(err->code), err);
}

void call_stream(struct api_call *call, struct http_stream *stream) {
  struct http_exchange *exchange = call->exchange;
  call_end(call);
  http_reply_stream(exchange, stream);
}

struct store_conn *call_reader(struct api_call *call) {
  return store_reader(call->config->store);
}

// ---- mutations ----

static struct api_call *call_of(struct store_op *op) {
  return (struct api_call *)(void *)((char *)op - offsetof(struct api_call, op));
}

static bool mutate_apply(struct store_op *op, struct store_conn *conn) {
  struct api_call *call = call_of(op);
  return call->apply(call, conn, &op->err);
}

static void mutate_done(struct store_op *op) {
  struct api_call *call = call_of(op);
  if (op->ok)
    call->reply(call);
  else
    call_fail(call, &op->err);
}

void call_mutate(struct api_call *call, bool (*apply)(struct api_call *call, struct store_conn *conn, struct err *err),
                 void (*reply)(struct api_call *call)) {
  call->apply = apply;
  call->reply = reply;
  call->op = (struct store_op){.apply = mutate_apply, .done = mutate_done};
  store_submit(call->config->store, &call->op);
}

bool call_audit(struct api_call *call, struct store_conn *conn, const char *action, struct str target,
                struct str details, struct err *err) {
  const struct audit_entry entry = {
      .tenant = call->tenant,
      .actor = str_c(call->who.actor),
      .action = str_c(action),
      .target = target,
      .details = details,
  };
  return audit_append(conn, &entry, call->now_ns, err);
}

// ---- reading the request ----

struct str call_param(struct api_call *call, const char *name) {
  const struct route_param *params = call->route->params;
  for (size_t i = 0; params && params[i].name; i++)
    if (strcmp(params[i].name, name) == 0) return call->params[i];
  assert(false && "the route declares no such parameter");
  return STR_NONE;
}

bool canonical_int(struct str text, int64_t *ret_number) {
  char canonical[24]; // an int64_t has 20 characters at most
  int64_t number;
  if (!str_int(text, &number)) return false;
  snprintf(canonical, sizeof canonical, "%" PRId64, number);
  if (!str_eq(text, str_c(canonical))) return false;
  *ret_number = number;
  return true;
}

bool call_strict(struct api_call *call) {
  return str_eq(call_param(call, "strict"), STR("true"));
}

struct str call_text(struct api_call *call, const char *member) {
  return json_member_str(call->body, member);
}

int64_t call_int(struct api_call *call, const char *member, int64_t otherwise) {
  const json_t *value = json_object_get(call->body, member);
  return json_is_integer(value) ? json_integer_value(value) : otherwise;
}

bool call_bool(struct api_call *call, const char *member, bool otherwise) {
  const json_t *value = json_object_get(call->body, member);
  return json_is_boolean(value) ? json_is_true(value) : otherwise;
}

// ---- what every document has ----

void write_id(struct json_writer *out, const char *key, struct id id) {
  if (!id_is_zero(id)) jw_c(out, key, id_format(id).text);
}

void write_time(struct json_writer *out, const char *key, int64_t wall_ns) {
  if (wall_ns) jw_c(out, key, clock_format(wall_ns).text);
}

void write_digest(struct json_writer *out, const char *key, const struct digest *digest) {
  jw_c(out, key, digest_format(digest).text);
}

void write_text(struct json_writer *out, const char *key, struct str text) {
  if (text.len > 0) jw_str(out, key, text);
}
