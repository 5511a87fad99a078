// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "access/audit.h"

/// Appends an act on one thing: the target is "<kind>:<id>". `actor` as in struct audit_entry; `details`
/// is a JSON object or absent.
bool ledger_append(struct store_conn *conn, struct id tenant, struct str actor, const char *action, const char *kind,
                   struct id target, struct str details, int64_t now_ns, struct err *err);

enum { LEDGER_DETAILS_MAX = 128 };
struct ledger_details {
  char json[LEDGER_DETAILS_MAX];
};
/// {"<member>":"<word>"}; the word is one that needs no JSON escapes (a role, a slug).
struct ledger_details ledger_word(const char *member, const char *word);
