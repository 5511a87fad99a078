// SPDX-License-Identifier: Apache-2.0
// What entries about one thing look like. The details of this layer's own hold roles and slugs, never e-mails or names:
// what stands in the ledger can't be taken out again.
#include "access/ledger.h"

#include <assert.h>
#include <stdio.h>

enum { TARGET_MAX = 64 };

bool ledger_append(struct store_conn *conn, struct id tenant, struct str actor, const char *action, const char *kind,
                   struct id target, struct str details, int64_t now_ns, struct err *err) {
  char text[TARGET_MAX];
  snprintf(text, sizeof text, "%s:%s", kind, id_format(target).text);
  struct audit_entry entry = {
      .tenant = tenant, .actor = actor, .action = str_c(action), .target = str_c(text), .details = details};
  return audit_append(conn, &entry, now_ns, err);
}

struct ledger_details ledger_word(const char *member, const char *word) {
  struct ledger_details details;
  int len = snprintf(details.json, sizeof details.json, "{\"%s\":\"%s\"}", member, word);
  assert(len > 0 && (size_t)len < sizeof details.json);
  return details;
}
