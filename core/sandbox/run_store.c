// SPDX-License-Identifier: Apache-2.0
// Runs and specs in the store. Outputs are in output_store.c.
#include "sandbox/run.h"
#include "store/list_query.h"
#include "store/stmt.h"

#define RUN_COLUMNS                                                                                                    \
  "id, kind, scenario_id, scenario_revision, spec_hash, subject_ref, variant, seed, runner, isolated, destroyed, "     \
  "status, reason_code, reason_message, steps_total, steps_ok, steps_error, outputs_hash, suite_ref, score, passed, "  \
  "unused_mocks, attestation, started_at, finished_at, duration_ms, launched_by, overlaid, virtual_ms, "               \
  "unused_required"

/// `otherwise` is what a word that is not in the list, of a row that somebody else wrote, is taken for.
static int word_index(const char *const *words, struct str word, int otherwise) {
  for (int i = 0; words[i]; i++)
    if (str_eq(str_c(words[i]), word)) return i;
  return otherwise;
}

static void read_run(struct stmt *q, struct id tenant, struct run *ret) {
  *ret = (struct run){
      .tenant = tenant,
      .id = stmt_id(q, 0),
      .kind = (enum run_kind)word_index(run_kind_names, stmt_str(q, 1), RUN_SCENARIO),
      .scenario = stmt_id(q, 2),
      .scenario_revision = stmt_int(q, 3),
      .spec_hash = stmt_digest(q, 4),
      .subject_ref = stmt_str(q, 5),
      .variant = stmt_str(q, 6),
      .seed = stmt_int(q, 7),
      .runner = stmt_str(q, 8),
      .isolated = stmt_bool(q, 9),
      .destroyed = stmt_bool(q, 10),
      .status = (enum run_status)word_index(run_status_names, stmt_str(q, 11), RUN_ERROR),
      .reason = {.code = stmt_str(q, 12).data, .message = stmt_str(q, 13)},
      .steps_total = stmt_int(q, 14),
      .steps_ok = stmt_int(q, 15),
      .steps_error = stmt_int(q, 16),
      .has_outputs_hash = !stmt_is_null(q, 17),
      .outputs_hash = stmt_digest(q, 17),
      .suite_ref = stmt_str(q, 18),
      .scored = !stmt_is_null(q, 19),
      .score = stmt_real(q, 19),
      .passed = stmt_bool(q, 20),
      .unused_mock_count = stmt_int(q, 21),
      .attestation = stmt_str(q, 22),
      .started_at = stmt_int(q, 23),
      .finished_at = stmt_int(q, 24),
      .duration_ms = stmt_int(q, 25),
      .launched_by = stmt_str(q, 26),
      .overlaid = stmt_bool(q, 27),
      .virtual_ms = stmt_int(q, 28),
      .unused_mocks = stmt_str(q, 29),
  };
}

/// Binds what changes when a run ends, from parameter `at` on; returns the next free one.
static int bind_end(struct stmt *q, int at, const struct run *run) {
  stmt_bind_bool(q, at++, run->isolated);
  stmt_bind_bool(q, at++, run->destroyed);
  stmt_bind_str(q, at++, str_c(run_status_names[run->status]));
  stmt_bind_str(q, at++, str_c(run->reason.code));
  stmt_bind_str(q, at++, run->reason.message);
  stmt_bind_int(q, at++, run->steps_total);
  stmt_bind_int(q, at++, run->steps_ok);
  stmt_bind_int(q, at++, run->steps_error);
  if (run->has_outputs_hash) stmt_bind_digest(q, at, &run->outputs_hash);
  at++;
  if (run->scored) stmt_bind_real(q, at, run->score);
  at++;
  if (run->scored) stmt_bind_bool(q, at, run->passed);
  at++;
  stmt_bind_int(q, at++, run->unused_mock_count);
  stmt_bind_int(q, at++, run->virtual_ms);
  stmt_bind_str(q, at++, str_present(run->unused_mocks) ? run->unused_mocks : STR("[]"));
  stmt_bind_str(q, at++, run->attestation);
  if (run->finished_at) stmt_bind_int(q, at, run->finished_at);
  at++;
  if (run->finished_at) stmt_bind_int(q, at, run->duration_ms);
  at++;
  return at;
}

bool run_insert(struct store_conn *conn, const struct run *run, struct err *err) {
  AUTO(stmt_close)
  struct stmt *q = stmt_open(conn,
                             "INSERT INTO runs (isolated, destroyed, status, reason_code, reason_message, steps_total, "
                             "steps_ok, steps_error, outputs_hash, "
                             "score, passed, unused_mocks, virtual_ms, unused_required, attestation, finished_at, "
                             "duration_ms, tenant_id, id, kind, "
                             "scenario_id, scenario_revision, "
                             "spec_hash, subject_ref, variant, seed, runner, suite_ref, started_at, launched_by, "
                             "overlaid) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
                             err);
  if (!q) return false;
  int at = bind_end(q, 1, run);
  stmt_bind_id(q, at++, run->tenant);
  stmt_bind_id(q, at++, run->id);
  stmt_bind_str(q, at++, str_c(run_kind_names[run->kind]));
  stmt_bind_id(q, at++, run->scenario);
  if (run->scenario_revision) stmt_bind_int(q, at, run->scenario_revision);
  at++;
  stmt_bind_digest(q, at++, &run->spec_hash);
  stmt_bind_str(q, at++, run->subject_ref);
  stmt_bind_str(q, at++, run->variant);
  stmt_bind_int(q, at++, run->seed);
  stmt_bind_str(q, at++, run->runner);
  stmt_bind_str(q, at++, run->suite_ref);
  stmt_bind_int(q, at++, run->started_at);
  stmt_bind_str(q, at++, run->launched_by);
  stmt_bind_bool(q, at++, run->overlaid);
  return stmt_run(&q, err);
}

bool run_finish(struct store_conn *conn, const struct run *run, struct err *err) {
  AUTO(stmt_close)
  struct stmt *q = stmt_open(conn,
                             "UPDATE runs SET isolated = ?, destroyed = ?, status = ?, reason_code = ?, reason_message "
                             "= ?, steps_total = ?, steps_ok = ?, "
                             "steps_error = ?, outputs_hash = ?, score = ?, passed = ?, unused_mocks = ?, "
                             "virtual_ms = ?, unused_required = ?, attestation = ?, finished_at = ?, duration_ms = ? "
                             "WHERE tenant_id = ? AND id = ?",
                             err);
  if (!q) return false;
  int at = bind_end(q, 1, run);
  stmt_bind_id(q, at++, run->tenant);
  stmt_bind_id(q, at++, run->id);
  if (!stmt_run(&q, err)) return false;
  return stmt_changes(conn) == 1 ||
         err_set(err, ERR_INTERNAL, "The run %s is not in the store.", id_format(run->id).text);
}

bool run_insert_spec(struct store_conn *conn, struct id tenant, const struct digest *spec_hash, struct str canonical,
                     struct err *err) {
  AUTO(stmt_close)
  struct stmt *known = stmt_open(conn, "SELECT 1 FROM specs WHERE tenant_id = ? AND spec_hash = ?", err);
  if (!known) return false;
  stmt_bind_id(known, 1, tenant);
  stmt_bind_digest(known, 2, spec_hash);
  enum stmt_result result = stmt_step(known, err);
  if (result != STMT_DONE) return result == STMT_ROW;
  AUTO(stmt_close)
  struct stmt *q = stmt_open(conn, "INSERT INTO specs (tenant_id, spec_hash, canonical) VALUES (?, ?, ?)", err);
  if (!q) return false;
  stmt_bind_id(q, 1, tenant);
  stmt_bind_digest(q, 2, spec_hash);
  stmt_bind_str(q, 3, canonical);
  return stmt_run(&q, err);
}

bool run_get_spec(struct store_conn *conn, struct arena *arena, struct id tenant, const struct digest *spec_hash,
                  struct str *ret_canonical, struct err *err) {
  AUTO(stmt_close)
  struct stmt *q = stmt_open(conn, "SELECT canonical FROM specs WHERE tenant_id = ? AND spec_hash = ?", err);
  if (!q) return false;
  stmt_bind_id(q, 1, tenant);
  stmt_bind_digest(q, 2, spec_hash);
  enum stmt_result result = stmt_step(q, err);
  if (result == STMT_ERROR) return false;
  if (result == STMT_DONE) return err_set(err, ERR_INTERNAL, "The spec of this run is not in the store.");
  *ret_canonical = arena_str(arena, stmt_str(q, 0));
  return true;
}

bool run_get(struct store_conn *conn, struct arena *arena, struct id tenant, struct id id, struct run *ret_run,
             bool *ret_found, struct err *err) {
  AUTO(stmt_close)
  struct stmt *q = stmt_open(conn, "SELECT " RUN_COLUMNS " FROM runs WHERE tenant_id = ? AND id = ?", err);
  if (!q) return false;
  stmt_bind_id(q, 1, tenant);
  stmt_bind_id(q, 2, id);
  enum stmt_result result = stmt_step(q, err);
  if (result == STMT_ERROR) return false;
  *ret_found = result == STMT_ROW;
  if (!*ret_found) return true;
  read_run(q, tenant, ret_run);
  run_keep_texts(ret_run, arena);
  return true;
}

bool run_list(struct store_conn *conn, struct id tenant, const struct run_filter *filter, bool oldest_first,
              struct id after, int limit, void (*visit)(void *ctx, const struct run *run), void *ctx, struct err *err) {
  AUTO(list_query_done) struct list_query list;
  list_query_init(&list, "SELECT " RUN_COLUMNS " FROM runs WHERE tenant_id = ?", tenant);
  list_query_id(&list, "scenario_id = ?", filter->scenario);
  list_query_text(&list, "kind = ?", filter->kind);
  list_query_text(&list, "status = ?", filter->status);
  // The partial indexes serve a query only when it repeats their condition.
  if (str_present(filter->kind) && !str_eq(filter->kind, STR("scenario")))
    list_query_plain(&list, "kind <> 'scenario'");
  if (str_present(filter->status) && !str_eq(filter->status, STR("completed")))
    list_query_plain(&list, "status <> 'completed'");
  list_query_text(&list, "variant = ?", filter->variant);
  list_query_text(&list, "subject_ref = ?", filter->subject_ref);
  AUTO(stmt_close) struct stmt *q = list_query_open(&list, conn, "id", oldest_first, after, limit, err);
  if (!q) return false;
  enum stmt_result result;
  while ((result = stmt_step(q, err)) == STMT_ROW) {
    struct run run;
    read_run(q, tenant, &run);
    visit(ctx, &run);
  }
  return result == STMT_DONE;
}
