// SPDX-License-Identifier: Apache-2.0
// Scenarios in the store. The head row says what a scenario is now; its content is in the revision it points to, which
// is never changed.
#include "access/ledger.h"
#include "sandbox/plan.h"
#include "sandbox/scenario.h"
#include "store/list_query.h"
#include "store/stmt.h"

#define HEAD_COLUMNS                                                                                                   \
  "s.id, s.name, s.description, s.subject_kind, s.archived, s.revision, s.spec_hash, s.seed, s.steps_count, "          \
  "s.mocks_count, s.variant_names, s.clamped, s.created_at, s.created_by, s.updated_at"
enum { HEAD_COUNT = 15 };

static void read_head(struct stmt *q, struct id tenant, struct scenario *ret) {
  *ret = (struct scenario){
      .tenant = tenant,
      .id = stmt_id(q, 0),
      .name = stmt_str(q, 1),
      .description = stmt_str(q, 2),
      .subject_kind = stmt_str(q, 3),
      .archived = stmt_bool(q, 4),
      .revision = stmt_int(q, 5),
      .spec_hash = stmt_digest(q, 6),
      .seed = stmt_int(q, 7),
      .steps_count = stmt_int(q, 8),
      .mocks_count = stmt_int(q, 9),
      .variant_names = stmt_str(q, 10),
      .clamped = stmt_str(q, 11),
      .created_at = stmt_int(q, 12),
      .created_by = stmt_str(q, 13),
      .updated_at = stmt_int(q, 14),
  };
}

static struct str keep(struct arena *arena, struct str text) {
  return str_present(text) ? arena_str(arena, text) : text;
}

static void keep_texts(struct arena *arena, struct scenario *s) {
  struct str *texts[] = {&s->name,    &s->description, &s->subject_kind, &s->created_by, &s->variant_names,
                         &s->clamped, &s->steps,       &s->mocks,        &s->variants};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) *texts[i] = keep(arena, *texts[i]);
}

static bool ledger(struct store_conn *conn, const struct scenario *s, const char *action, struct str actor,
                   int64_t now_ns, struct err *err) {
  char details[64];
  snprintf(details, sizeof details, "{\"revision\":%lld}", (long long)s->revision);
  return ledger_append(conn, s->tenant, actor, action, "scenario", s->id, str_c(details), now_ns, err);
}

static bool insert_revision(struct store_conn *conn, const struct scenario *s, struct str actor, int64_t now_ns,
                            struct err *err) {
  AUTO(stmt_close)
  struct stmt *q = stmt_open(conn,
                             "INSERT INTO scenario_revisions (tenant_id, scenario_id, revision, spec_hash, created_at, "
                             "created_by, steps, mocks, variants) VALUES (?,?,?,?,?,?,?,?,?)",
                             err);
  if (!q) return false;
  stmt_bind_id(q, 1, s->tenant);
  stmt_bind_id(q, 2, s->id);
  stmt_bind_int(q, 3, s->revision);
  stmt_bind_digest(q, 4, &s->spec_hash);
  stmt_bind_int(q, 5, now_ns);
  stmt_bind_str(q, 6, actor);
  stmt_bind_str(q, 7, s->steps);
  stmt_bind_str(q, 8, s->mocks);
  stmt_bind_str(q, 9, s->variants);
  return stmt_run(&q, err);
}

/// A clear message where the index would only say that something is not unique. One writer: nothing comes between this
/// and the insert.
static bool name_is_free(struct store_conn *conn, const struct scenario *s, struct err *err) {
  AUTO(stmt_close)
  struct stmt *q = stmt_open(conn, "SELECT id FROM scenarios WHERE tenant_id = ? AND name = ? AND id <> ?", err);
  if (!q) return false;
  stmt_bind_id(q, 1, s->tenant);
  stmt_bind_str(q, 2, s->name);
  stmt_bind_id(q, 3, s->id);
  enum stmt_result result = stmt_step(q, err);
  if (result == STMT_ROW)
    return err_set_at(err, ERR_CONFLICT, "name", "A scenario named '%.*s' exists already: %s.", STR_ARG(s->name),
                      id_format(stmt_id(q, 0)).text);
  return result == STMT_DONE;
}

bool scenario_insert(struct store_conn *conn, const struct scenario *s, struct str actor, int64_t now_ns,
                     struct err *err) {
  if (!name_is_free(conn, s, err)) return false;
  AUTO(stmt_close)
  struct stmt *q =
      stmt_open(conn,
                "INSERT INTO scenarios (tenant_id, id, name, description, subject_kind, archived, revision, spec_hash, "
                "seed, steps_count, mocks_count, variant_names, clamped, created_at, created_by, updated_at) "
                "VALUES (?,?,?,?,?,0,?,?,?,?,?,?,?,?,?,?)",
                err);
  if (!q) return false;
  stmt_bind_id(q, 1, s->tenant);
  stmt_bind_id(q, 2, s->id);
  stmt_bind_str(q, 3, s->name);
  stmt_bind_str(q, 4, s->description);
  stmt_bind_str(q, 5, s->subject_kind);
  stmt_bind_int(q, 6, s->revision);
  stmt_bind_digest(q, 7, &s->spec_hash);
  stmt_bind_int(q, 8, s->seed);
  stmt_bind_int(q, 9, s->steps_count);
  stmt_bind_int(q, 10, s->mocks_count);
  stmt_bind_str(q, 11, s->variant_names);
  stmt_bind_str(q, 12, s->clamped);
  stmt_bind_int(q, 13, now_ns);
  stmt_bind_str(q, 14, actor);
  stmt_bind_int(q, 15, now_ns);
  return stmt_run(&q, err) && insert_revision(conn, s, actor, now_ns, err) &&
         ledger(conn, s, "scenario.create", actor, now_ns, err);
}

static bool update_head(struct store_conn *conn, const struct scenario *s, int64_t now_ns, struct err *err) {
  AUTO(stmt_close)
  struct stmt *q = stmt_open(
      conn,
      "UPDATE scenarios SET name = ?, description = ?, subject_kind = ?, revision = ?, spec_hash = ?, seed = ?, "
      "steps_count = ?, mocks_count = ?, variant_names = ?, clamped = ?, updated_at = ? "
      "WHERE tenant_id = ? AND id = ?",
      err);
  if (!q) return false;
  stmt_bind_str(q, 1, s->name);
  stmt_bind_str(q, 2, s->description);
  stmt_bind_str(q, 3, s->subject_kind);
  stmt_bind_int(q, 4, s->revision);
  stmt_bind_digest(q, 5, &s->spec_hash);
  stmt_bind_int(q, 6, s->seed);
  stmt_bind_int(q, 7, s->steps_count);
  stmt_bind_int(q, 8, s->mocks_count);
  stmt_bind_str(q, 9, s->variant_names);
  stmt_bind_str(q, 10, s->clamped);
  stmt_bind_int(q, 11, now_ns);
  stmt_bind_id(q, 12, s->tenant);
  stmt_bind_id(q, 13, s->id);
  return stmt_run(&q, err);
}

bool scenario_replace(struct store_conn *conn, struct arena *arena, struct scenario *s, struct str actor,
                      int64_t now_ns, bool *ret_found, struct err *err) {
  struct scenario old;
  bool found;
  if (!scenario_head(conn, arena, s->tenant, s->id, &old, &found, err)) return false;
  if (found) {
    s->revision = old.revision + 1;
    s->archived = old.archived;
    s->created_at = old.created_at;
    s->created_by = old.created_by;
    if (!name_is_free(conn, s, err) || !update_head(conn, s, now_ns, err) ||
        !insert_revision(conn, s, actor, now_ns, err) || !ledger(conn, s, "scenario.update", actor, now_ns, err))
      return false;
  }
  *ret_found = found;
  return true;
}

bool scenario_set_archived(struct store_conn *conn, struct id tenant, struct id id, bool archived, struct str actor,
                           int64_t now_ns, bool *ret_found, struct err *err) {
  AUTO(arena_auto_free) struct arena *arena = arena_new();
  struct scenario s;
  bool found;
  if (!scenario_head(conn, arena, tenant, id, &s, &found, err)) return false;
  *ret_found = found;
  if (!found || s.archived == archived) return true;
  AUTO(stmt_close)
  struct stmt *q =
      stmt_open(conn, "UPDATE scenarios SET archived = ?, updated_at = ? WHERE tenant_id = ? AND id = ?", err);
  if (!q) return false;
  stmt_bind_bool(q, 1, archived);
  stmt_bind_int(q, 2, now_ns);
  stmt_bind_id(q, 3, tenant);
  stmt_bind_id(q, 4, id);
  return stmt_run(&q, err) && ledger(conn, &s, archived ? "scenario.archive" : "scenario.restore", actor, now_ns, err);
}

bool scenario_get(struct store_conn *conn, struct arena *arena, struct id tenant, struct id id,
                  struct scenario *ret_scenario, bool *ret_found, struct err *err) {
  AUTO(stmt_close)
  struct stmt *q =
      stmt_open(conn,
                "SELECT " HEAD_COLUMNS ", r.steps, r.mocks, r.variants FROM scenarios s JOIN scenario_revisions r "
                "ON r.tenant_id = s.tenant_id AND r.scenario_id = s.id AND r.revision = s.revision "
                "WHERE s.tenant_id = ? AND s.id = ?",
                err);
  if (!q) return false;
  stmt_bind_id(q, 1, tenant);
  stmt_bind_id(q, 2, id);
  enum stmt_result result = stmt_step(q, err);
  if (result == STMT_ERROR) return false;
  *ret_found = result == STMT_ROW;
  if (!*ret_found) return true;
  read_head(q, tenant, ret_scenario);
  ret_scenario->steps = stmt_str(q, HEAD_COUNT);
  ret_scenario->mocks = stmt_str(q, HEAD_COUNT + 1);
  ret_scenario->variants = stmt_str(q, HEAD_COUNT + 2);
  keep_texts(arena, ret_scenario);
  return true;
}

bool scenario_head(struct store_conn *conn, struct arena *arena, struct id tenant, struct id id,
                   struct scenario *ret_scenario, bool *ret_found, struct err *err) {
  AUTO(stmt_close)
  struct stmt *q = stmt_open(conn, "SELECT " HEAD_COLUMNS " FROM scenarios s WHERE s.tenant_id = ? AND s.id = ?", err);
  if (!q) return false;
  stmt_bind_id(q, 1, tenant);
  stmt_bind_id(q, 2, id);
  enum stmt_result result = stmt_step(q, err);
  if (result == STMT_ERROR) return false;
  *ret_found = result == STMT_ROW;
  if (!*ret_found) return true;
  read_head(q, tenant, ret_scenario);
  keep_texts(arena, ret_scenario);
  return true;
}

bool scenario_list(struct store_conn *conn, struct id tenant, const struct scenario_filter *filter, bool oldest_first,
                   struct id after, int limit, void (*visit)(void *ctx, const struct scenario *scenario), void *ctx,
                   struct err *err) {
  struct str status = filter->status;
  AUTO(list_query_done) struct list_query list;
  list_query_init(&list, "SELECT " HEAD_COLUMNS " FROM scenarios s WHERE s.tenant_id = ?", tenant);
  if (str_present(status))
    list_query_plain(&list, str_eq(status, STR("archived")) ? "s.archived = 1" : "s.archived = 0");
  list_query_text(&list, "s.name = ?", filter->name);
  list_query_text(&list, "s.subject_kind = ?", filter->subject_kind);
  AUTO(stmt_close) struct stmt *q = list_query_open(&list, conn, "s.id", oldest_first, after, limit, err);
  if (!q) return false;
  enum stmt_result result;
  while ((result = stmt_step(q, err)) == STMT_ROW) {
    struct scenario s;
    read_head(q, tenant, &s);
    visit(ctx, &s);
  }
  return result == STMT_DONE;
}
