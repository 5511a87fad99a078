// SPDX-License-Identifier: Apache-2.0
// The platform's records as JSON documents. Their shapes are in platform_shapes.c.
#include "api/platform_documents.h"

#include "api/call.h"
#include "base/utf8.h"

void write_user_members(struct json_writer *out, const struct user *user) {
  write_id(out, "id", user->id);
  jw_str(out, "email", user->email);
  write_text(out, "display_name", user->display_name);
  jw_bool(out, "superadmin", user->superadmin);
  write_time(out, "created_at", user->created_at);
}

void write_user(struct json_writer *out, const char *key, const struct user *user) {
  jw_object(out, key);
  write_user_members(out, user);
  jw_object_end(out);
}

void write_organization(struct json_writer *out, const char *key, const struct organization *org) {
  jw_object(out, key);
  write_id(out, "id", org->id);
  write_id(out, "tenant_id", org->tenant_id);
  jw_str(out, "name", org->name);
  jw_str(out, "slug", org->slug);
  write_time(out, "created_at", org->created_at);
  jw_object_end(out);
}

void write_token(struct json_writer *out, const struct api_token *token, const char *secret) {
  jw_object(out, NULL);
  write_id(out, "id", token->id);
  write_id(out, "tenant", token->tenant);
  jw_str(out, "name", token->name);
  jw_c(out, "role", role_name(token->role));
  write_time(out, "created_at", token->created_at);
  write_time(out, "expires_at", token->expires_at);
  write_time(out, "revoked_at", token->revoked_at);
  jw_str(out, "created_by", token->created_by);
  if (secret) jw_c(out, "token", secret);
  jw_object_end(out);
}

/// The engine writes JSON there; what somebody put there behind its back is shown as the text it is, so that the list
/// with the edited entry can still be read.
static void write_details(struct json_writer *out, struct str details) {
  AUTO(json_auto_decref) json_t *json = NULL;
  struct err err = {0};
  if (json_read(details, &json, &err) && json_is_object(json)) {
    jw_raw(out, "details", details);
    return;
  }
  jw_object(out, "details");
  if (utf8_valid(details, NULL)) jw_str(out, "not_json", details);
  jw_object_end(out);
}

void write_audit_entry(struct json_writer *out, const struct audit_row *row) {
  jw_object(out, NULL);
  jw_int(out, "seq", row->seq);
  write_id(out, "id", row->id);
  write_time(out, "occurred_at", row->occurred_at);
  jw_str(out, "actor", row->actor);
  jw_str(out, "action", row->action);
  write_text(out, "target", row->target);
  write_details(out, row->details);
  write_digest(out, "previous_hash", &row->previous_hash);
  write_digest(out, "hash", &row->hash);
  jw_object_end(out);
}

void write_audit_report(struct json_writer *out, const struct audit_report *report) {
  jw_object(out, NULL);
  jw_bool(out, "intact", report->fault == AUDIT_INTACT);
  jw_c(out, "fault", audit_fault_name(report->fault));
  jw_int(out, "entries", report->entries);
  if (report->fault != AUDIT_INTACT) {
    jw_object(out, "first_bad");
    jw_int(out, "seq", report->first_bad_seq);
    write_id(out, "id", report->first_bad_id);
    jw_object_end(out);
  }
  write_digest(out, "head", &report->head);
  jw_c(out, "message", report->message);
  jw_object_end(out);
}
