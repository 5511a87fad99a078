// SPDX-License-Identifier: Apache-2.0
// The composition root: what is opened in which order, and closed in the reverse one. The lock comes first, so that
// everything behind it may assume that no other engine is at work in this directory; whatever is recorded as running is
// therefore an orphan.
#include "app/engine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "access/accounts.h"
#include "access/modules.h"
#include "api/api.h"
#include "app/backends.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/secret.h"
#include "sandbox/sandbox.h"
#include "store/stmt.h"
#include "sys/dir_lock.h"
#include "sys/file.h"

enum { COMMAND_WAIT_MS = 5000 }; // for another command that uses the directory

struct engine {
  char *dir;
  struct dir_lock *lock;
  struct loop *loop;
  struct store *store;
  struct backends backends;
  struct sandbox *sandbox;
  struct api *api;
  struct clock clock;
  uint8_t cursor_key[32];
  bool serving;
};

struct loop *engine_loop(struct engine *engine) {
  return engine->loop;
}
struct http_handler engine_handler(struct engine *engine) {
  return api_handler(engine->api);
}
const char *engine_data_dir(const struct engine *engine) {
  return engine->dir;
}
struct api *engine_api(struct engine *engine) {
  return engine->api;
}
struct sandbox *engine_sandbox(struct engine *engine) {
  return engine->sandbox;
}
struct store *engine_store(struct engine *engine) {
  return engine->store;
}
void engine_note(struct engine *engine, const char *note) {
  dir_lock_note(engine->lock, note);
}

// ---- what a data directory needs before the first request ----

struct preparation {
  struct store_op op;
  struct engine *engine;
  bool done;
};

/// Nothing is written when all is there: opening the store for a read must not cost a commit.
static bool is_prepared(struct engine *engine, bool *ret_prepared, struct err *err) {
  struct store_conn *conn = store_reader(engine->store);
  bool key_found;
  if (!engine_secret_read(conn, "cursor", engine->cursor_key, &key_found, err)) return false;
  AUTO(stmt_close)
  struct stmt *q = stmt_open(conn, "SELECT EXISTS (SELECT 1 FROM organizations)", err);
  if (!q || stmt_step(q, err) != STMT_ROW) return false;
  *ret_prepared = key_found && (engine->serving || stmt_bool(q, 0));
  return true;
}

static bool prepare_apply(struct store_op *op, struct store_conn *conn) {
  struct engine *engine = ((struct preparation *)op)->engine;
  if (!engine_secret(conn, "cursor", engine->cursor_key, &op->err)) return false;
  if (engine->serving) return true;
  AUTO(arena_auto_free) struct arena *arena = arena_new();
  struct organization org;
  return accounts_local_organization(conn, arena, clock_wall_ns(&engine->clock), &org, &op->err);
}

static void prepare_done(struct store_op *op) {
  ((struct preparation *)op)->done = true;
}

static bool prepare(struct engine *engine, struct err *err) {
  bool prepared;
  if (!is_prepared(engine, &prepared, err)) return false;
  if (prepared) return true;
  struct preparation p = {.op = {.apply = prepare_apply, .done = prepare_done}, .engine = engine};
  store_submit(engine->store, &p.op);
  while (!p.done) loop_turn(engine->loop, true);
  if (!p.op.ok) *err = p.op.err;
  return p.op.ok;
}

struct sweeping {
  bool done;
  struct err err;
};

static void swept(void *ctx, int64_t count, const struct err *err) {
  struct sweeping *s = ctx;
  s->done = true;
  if (err)
    s->err = *err;
  else if (count > 0)
    log_event(LOG_LEVEL_WARN, "engine.orphans", "runs=%lld reason=engine_restarted", (long long)count);
}

static bool sweep(struct engine *engine, struct err *err) {
  {
    AUTO(stmt_close)
    struct stmt *q =
        stmt_open(store_reader(engine->store), "SELECT EXISTS (SELECT 1 FROM runs WHERE status = 'running')", err);
    if (!q || stmt_step(q, err) != STMT_ROW) return false;
    if (!stmt_bool(q, 0)) return true;
  }
  struct sweeping s = {0};
  sandbox_sweep(engine->sandbox, swept, &s);
  while (!s.done) loop_turn(engine->loop, true);
  if (s.err.code != ERR_NONE) *err = s.err;
  return s.err.code == ERR_NONE;
}

// ---- opening and closing ----

static bool open_dir(struct engine *engine, const struct engine_config *config, struct err *err) {
  if (config->data_dir)
    engine->dir = mem_strdup(str_c(config->data_dir));
  else if (!path_default_data(&engine->dir, err))
    return false;
  return dir_make(engine->dir, err) &&
         dir_lock_open(engine->dir, config->note, config->serving ? 0 : COMMAND_WAIT_MS, &engine->lock, err);
}

static bool open_store(struct engine *engine, struct err *err) {
  const struct store_migration migrations[] = {access_migration, sandbox_migration, sandbox_migration_resolution};
  const struct store_config config = {
      .dir = engine->dir,
      .loop = engine->loop,
      .migrations = migrations,
      .migration_count = sizeof migrations / sizeof *migrations,
  };
  return store_open(&config, &engine->store, err) && prepare(engine, err);
}

static bool on_worker(void *loop, void (*work)(void *ctx), void (*done)(void *ctx), void *ctx) {
  return loop_work(loop, work, done, ctx);
}

static bool open_module(struct engine *engine, struct err *err) {
  backends_init(&engine->backends, engine->loop);
  engine->sandbox = sandbox_new(&(struct sandbox_config){
      .store = engine->store,
      .clock = engine->clock,
      .work = on_worker,
      .work_ctx = engine->loop,
      .runners = engine->backends.runners,
      .runner_count = BACKENDS_COUNT,
  });
  struct api_config config = {
      .store = engine->store,
      .loop = engine->loop,
      .sandbox = engine->sandbox,
      .clock = engine->clock,
      .data_dir = engine->dir,
      .version = OLIVARES_VERSION,
  };
  memcpy(config.cursor_key, engine->cursor_key, sizeof config.cursor_key);
  engine->api = api_new(&config);
  return sweep(engine, err);
}

bool engine_open(const struct engine_config *config, struct engine **ret_engine, struct err *err) {
  secret_setup();
  struct engine *engine = mem_zalloc(sizeof *engine);
  engine->clock = clock_system();
  engine->serving = config->serving;
  if (!open_dir(engine, config, err) || !loop_new(&engine->loop, err) || !open_store(engine, err) ||
      !open_module(engine, err)) {
    engine_close(engine);
    return false;
  }
  *ret_engine = engine;
  return true;
}

void engine_close(struct engine *engine) {
  if (!engine) return;
  if (engine->sandbox) {
    sandbox_stop_all(engine->sandbox);
    loop_turn(engine->loop, false); // every backend takes note of the stop, that of a run the store has refused too
  }
  // What still runs records its end; what the store has refused stays for the sweep of the next start.
  while (engine->store && engine->sandbox && !(store_idle(engine->store) && sandbox_settled(engine->sandbox)))
    loop_turn(engine->loop, true);
  store_close(engine->store);
  api_free(engine->api);
  sandbox_free(engine->sandbox);
  if (engine->loop) backends_done(&engine->backends);
  loop_free(engine->loop);
  dir_lock_close(engine->lock);
  free(engine->dir);
  free(engine);
}

// ---- the setup token ----

enum { SETUP_TOKEN_FILE_MAX = 256 };

bool engine_setup_token(struct engine *engine, char **ret_token, struct err *err) {
  bool required;
  if (!accounts_setup_required(store_reader(engine->store), &required, err)) return false;
  *ret_token = NULL;
  if (!required) return true;
  AUTO(mem_auto_free) char *path = path_join(engine->dir, "setup-token");
  AUTO(buf_done) struct buf kept = {0};
  if (access(path, F_OK) == 0) {
    if (!file_read(path, SETUP_TOKEN_FILE_MAX, &kept, err)) return false;
    struct str text = buf_str(&kept);
    *ret_token = mem_strdup(str_cut(&text, '\n'));
    return true;
  }
  char token[SECRET_TOKEN_MAX];
  secret_token("olsetup_", token);
  if (!file_write_atomic(path, str_c(token), 0600, err)) return false;
  *ret_token = mem_strdup(str_c(token));
  return true;
}
