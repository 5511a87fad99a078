// SPDX-License-Identifier: Apache-2.0
// Secrets the engine makes for itself and keeps as long as its database, such as the key that makes cursors
// unforgeable.
#include "access/modules.h"
#include "base/mem.h"
#include "base/secret.h"
#include "store/stmt.h"

enum { ENGINE_SECRET_BYTES = DIGEST_BYTES }; // so that one is read like a digest

bool engine_secret_read(struct store_conn *conn, const char *name, uint8_t ret_secret[32], bool *ret_found,
                        struct err *err) {
  AUTO(stmt_close) struct stmt *q = stmt_open(conn, "SELECT secret FROM engine_secrets WHERE name = ?1", err);
  if (!q) return false;
  stmt_bind_str(q, 1, str_c(name));
  enum stmt_result step = stmt_step(q, err);
  if (step == STMT_ERROR) return false;
  *ret_found = step == STMT_ROW;
  if (step == STMT_ROW) {
    struct digest secret = stmt_digest(q, 0);
    memcpy(ret_secret, secret.bytes, ENGINE_SECRET_BYTES);
  }
  return true;
}

static bool secret_add(struct store_conn *conn, const char *name, const uint8_t secret[32], struct err *err) {
  AUTO(stmt_close)
  struct stmt *q = stmt_open(conn, "INSERT INTO engine_secrets (name, secret) VALUES (?1, ?2)", err);
  if (!q) return false;
  stmt_bind_str(q, 1, str_c(name));
  stmt_bind_blob(q, 2, secret, ENGINE_SECRET_BYTES);
  return stmt_run(&q, err);
}

bool engine_secret(struct store_conn *conn, const char *name, uint8_t ret_secret[32], struct err *err) {
  bool found;
  if (!engine_secret_read(conn, name, ret_secret, &found, err)) return false;
  if (found) return true;
  uint8_t secret[ENGINE_SECRET_BYTES];
  secret_random(secret, sizeof secret);
  if (!secret_add(conn, name, secret, err)) return false;
  memcpy(ret_secret, secret, sizeof secret);
  secret_wipe(secret, sizeof secret);
  return true;
}
