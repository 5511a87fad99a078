// SPDX-License-Identifier: Apache-2.0
// Module switches. A module without a row is off: a tenant is given nothing it did not ask for.
#include <assert.h>
#include <stdio.h>

#include "access/audit.h"
#include "access/modules.h"
#include "base/mem.h"
#include "store/stmt.h"

const struct module_info module_infos[] = {
    {"sandbox", "scenarios, runs, replay and comparison of agents on mocks"},
    {NULL, NULL},
};

bool module_known(struct str name) {
  for (const struct module_info *info = module_infos; info->name; info++)
    if (str_eq(name, str_c(info->name))) return true;
  return false;
}

static bool enabled_read(struct store_conn *conn, struct id tenant, struct str name, bool *ret_enabled,
                         struct err *err) {
  AUTO(stmt_close)
  struct stmt *q = stmt_open(conn, "SELECT enabled FROM modules WHERE tenant_id = ?1 AND name = ?2", err);
  if (!q) return false;
  stmt_bind_id(q, 1, tenant);
  stmt_bind_str(q, 2, name);
  enum stmt_result step = stmt_step(q, err);
  if (step == STMT_ERROR) return false;
  *ret_enabled = step == STMT_ROW && stmt_bool(q, 0);
  return true;
}

bool module_enabled(struct store_conn *conn, struct id tenant, const char *name, bool *ret_enabled, struct err *err) {
  return enabled_read(conn, tenant, str_c(name), ret_enabled, err);
}

static bool enabled_write(struct store_conn *conn, struct id tenant, struct str name, bool enabled, int64_t now_ns,
                          struct err *err) {
  AUTO(stmt_close)
  struct stmt *q = stmt_open(
      conn,
      "INSERT INTO modules (tenant_id, name, enabled, switched_at) VALUES (?1, ?2, ?3, ?4)"
      " ON CONFLICT (tenant_id, name) DO UPDATE SET enabled = excluded.enabled, switched_at = excluded.switched_at",
      err);
  if (!q) return false;
  stmt_bind_id(q, 1, tenant);
  stmt_bind_str(q, 2, name);
  stmt_bind_bool(q, 3, enabled);
  stmt_bind_int(q, 4, now_ns);
  return stmt_run(&q, err);
}

bool module_switch(struct store_conn *conn, const struct principal *by, struct str name, bool enabled, int64_t now_ns,
                   struct err *err) {
  assert(module_known(name));
  if (!principal_require(by, ROLE_OWNER, err)) return false;
  bool before;
  if (!enabled_read(conn, by->tenant, name, &before, err)) return false;
  if (before == enabled) return true;
  if (!enabled_write(conn, by->tenant, name, enabled, now_ns, err)) return false;
  char target[64];
  snprintf(target, sizeof target, "module:%.*s", STR_ARG(name));
  struct audit_entry entry = {.tenant = by->tenant,
                              .actor = str_c(by->actor),
                              .action = enabled ? STR("module.on") : STR("module.off"),
                              .target = str_c(target)};
  return audit_append(conn, &entry, now_ns, err);
}
