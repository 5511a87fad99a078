// SPDX-License-Identifier: Apache-2.0
// Rows of organizations, users and memberships. A taken slug or e-mail is found by the database's UNIQUE constraint,
// not by asking first, and only given its sentence here.
#include "access/account_rows.h"

#include "access/account_text.h"
#include "store/stmt.h"

bool organization_row_add(struct store_conn *conn, struct arena *arena, struct str name, struct str slug,
                          int64_t now_ns, struct organization *ret_org, struct err *err) {
  struct organization org = {.id = id_new(now_ns),
                             .tenant_id = id_new(now_ns),
                             .name = arena_str(arena, name),
                             .slug = arena_str(arena, slug),
                             .created_at = now_ns};
  AUTO(stmt_close)
  struct stmt *q = stmt_open(conn,
                             "INSERT INTO organizations (id, tenant_id, name, slug, created_at)"
                             " VALUES (?1, ?2, ?3, ?4, ?5)",
                             err);
  if (!q) return false;
  stmt_bind_id(q, 1, org.id);
  stmt_bind_id(q, 2, org.tenant_id);
  stmt_bind_str(q, 3, org.name);
  stmt_bind_str(q, 4, org.slug);
  stmt_bind_int(q, 5, now_ns);
  struct err failed = {0};
  if (stmt_run(&q, &failed)) {
    *ret_org = org;
    return true;
  }
  if (failed.code == ERR_CONFLICT)
    return err_set_at(err, ERR_CONFLICT, "slug", "The slug '%.*s' is taken by another organization; choose another.",
                      STR_ARG(slug));
  *err = failed;
  return false;
}

bool organization_row_first(struct store_conn *conn, struct arena *arena, struct organization *ret_org, bool *ret_found,
                            struct err *err) {
  AUTO(stmt_close)
  struct stmt *q =
      stmt_open(conn, "SELECT id, tenant_id, name, slug, created_at FROM organizations ORDER BY id LIMIT 1", err);
  if (!q) return false;
  enum stmt_result step = stmt_step(q, err);
  if (step == STMT_ERROR) return false;
  *ret_found = step == STMT_ROW;
  if (step == STMT_ROW)
    *ret_org = (struct organization){.id = stmt_id(q, 0),
                                     .tenant_id = stmt_id(q, 1),
                                     .name = arena_str(arena, stmt_str(q, 2)),
                                     .slug = arena_str(arena, stmt_str(q, 3)),
                                     .created_at = stmt_int(q, 4)};
  return true;
}

bool organization_row_rename(struct store_conn *conn, struct id organization, struct str name, struct str slug,
                             struct err *err) {
  AUTO(stmt_close)
  struct stmt *q =
      stmt_open(conn,
                "UPDATE organizations SET name = ?2, slug = CASE WHEN EXISTS (SELECT 1 FROM organizations AS other"
                " WHERE other.slug = ?3 AND other.id <> ?1) THEN slug ELSE ?3 END WHERE id = ?1",
                err);
  if (!q) return false;
  stmt_bind_id(q, 1, organization);
  stmt_bind_str(q, 2, name);
  stmt_bind_str(q, 3, slug);
  return stmt_run(&q, err);
}

bool tenant_exists(struct store_conn *conn, struct id tenant, bool *ret_exists, struct err *err) {
  AUTO(stmt_close)
  struct stmt *q = stmt_open(conn, "SELECT 1 FROM organizations WHERE tenant_id = ?1", err);
  if (!q) return false;
  stmt_bind_id(q, 1, tenant);
  enum stmt_result step = stmt_step(q, err);
  if (step == STMT_ERROR) return false;
  *ret_exists = step == STMT_ROW;
  return true;
}

bool user_row_add(struct store_conn *conn, struct arena *arena, struct str email, const char *password_hash,
                  struct str display_name, bool superadmin, int64_t now_ns, struct user *ret_user, struct err *err) {
  struct email folded;
  if (!email_fold(email, &folded, err)) return false;
  struct user user = {.id = id_new(now_ns),
                      .email = arena_str(arena, email_str(&folded)),
                      .display_name = str_present(display_name) ? arena_str(arena, display_name) : STR_NONE,
                      .superadmin = superadmin,
                      .created_at = now_ns};
  AUTO(stmt_close)
  struct stmt *q = stmt_open(conn,
                             "INSERT INTO users (id, email, password_hash, display_name, superadmin, created_at)"
                             " VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
                             err);
  if (!q) return false;
  stmt_bind_id(q, 1, user.id);
  stmt_bind_str(q, 2, user.email);
  stmt_bind_str(q, 3, str_c(password_hash));
  stmt_bind_str(q, 4, user.display_name);
  stmt_bind_bool(q, 5, superadmin);
  stmt_bind_int(q, 6, now_ns);
  struct err failed = {0};
  if (stmt_run(&q, &failed)) {
    *ret_user = user;
    return true;
  }
  if (failed.code == ERR_CONFLICT)
    return err_set_at(err, ERR_CONFLICT, "email",
                      "The e-mail %s has an account already; give that user a role with POST /v1/memberships.",
                      folded.text);
  *err = failed;
  return false;
}

bool membership_row_put(struct store_conn *conn, struct id user, struct id tenant, enum role role, int64_t now_ns,
                        struct err *err) {
  AUTO(stmt_close)
  struct stmt *q = stmt_open(conn,
                             "INSERT INTO memberships (user_id, tenant_id, role, created_at) VALUES (?1, ?2, ?3, ?4)"
                             " ON CONFLICT (user_id, tenant_id) DO UPDATE SET role = excluded.role",
                             err);
  if (!q) return false;
  stmt_bind_id(q, 1, user);
  stmt_bind_id(q, 2, tenant);
  stmt_bind_int(q, 3, role);
  stmt_bind_int(q, 4, now_ns);
  return stmt_run(&q, err);
}

bool membership_row_get(struct store_conn *conn, struct id user, struct id tenant, enum role *ret_role,
                        struct err *err) {
  AUTO(stmt_close)
  struct stmt *q = stmt_open(conn, "SELECT role FROM memberships WHERE user_id = ?1 AND tenant_id = ?2", err);
  if (!q) return false;
  stmt_bind_id(q, 1, user);
  stmt_bind_id(q, 2, tenant);
  enum stmt_result step = stmt_step(q, err);
  if (step == STMT_ERROR) return false;
  *ret_role = step == STMT_ROW ? (enum role)stmt_int(q, 0) : ROLE_NONE;
  return true;
}

bool membership_row_first(struct store_conn *conn, struct id user, struct id *ret_tenant, struct err *err) {
  AUTO(stmt_close)
  struct stmt *q = stmt_open(
      conn, "SELECT tenant_id FROM memberships WHERE user_id = ?1 ORDER BY created_at, tenant_id LIMIT 1", err);
  if (!q) return false;
  stmt_bind_id(q, 1, user);
  enum stmt_result step = stmt_step(q, err);
  if (step == STMT_ERROR) return false;
  *ret_tenant = step == STMT_ROW ? stmt_id(q, 0) : (struct id){0};
  return true;
}
