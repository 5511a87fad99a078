// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "access/accounts.h"
#include "access/audit.h"
#include "access/tokens.h"
#include "base/json_writer.h"

// The platform's records as JSON documents. `key` is NULL in an array or at the top.

void write_user(struct json_writer *out, const char *key, const struct user *user);
void write_user_members(struct json_writer *out, const struct user *user); ///< into an object that is open
void write_organization(struct json_writer *out, const char *key, const struct organization *org);
/// `secret` is NULL in every answer but the one to its creation.
void write_token(struct json_writer *out, const struct api_token *token, const char *secret);
void write_audit_entry(struct json_writer *out, const struct audit_row *row);
void write_audit_report(struct json_writer *out, const struct audit_report *report);
