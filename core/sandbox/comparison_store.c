// SPDX-License-Identifier: Apache-2.0
// Comparisons in the store.
#include <stdio.h>

#include "access/ledger.h"
#include "sandbox/comparison.h"
#include "store/list_query.h"
#include "store/stmt.h"

#define COMPARISON_COLUMNS                                                                                             \
  "id, scenario_id, session_ref, subject_ref, baseline_run, candidate_run, baseline_variant, candidate_variant, "      \
  "suite_ref, baseline_score, candidate_score, verdict, reason_code, reason_message, comparable, rule_ref, "           \
  "rule_hash, decided_by, occurred_at, differences_omitted, differences, not_comparable, self_check, same_spec, "      \
  "counts, pairs_omitted, variant_unknown"

static bool ledger(struct store_conn *conn, const struct comparison *c, struct err *err) {
  char details[192];
  snprintf(details, sizeof details, "{\"verdict\":\"%s\",\"reason\":\"%s\"}", verdict_names[c->verdict],
           c->reason.code);
  return ledger_append(conn, c->tenant, c->decided_by, "comparison.decide", "comparison", c->id, str_c(details),
                       c->occurred_at, err);
}

// The counts as they are stored: numbers in the order of enum difference, with blanks between them.
struct counts_text {
  char text[DIFFERENCE_COUNT * 24];
};

static struct counts_text counts_format(const int64_t counts[DIFFERENCE_COUNT]) {
  struct counts_text text = {""};
  size_t len = 0;
  for (int i = 0; i < DIFFERENCE_COUNT; i++)
    len += (size_t)snprintf(text.text + len, sizeof text.text - len, "%s%lld", i ? " " : "", (long long)counts[i]);
  return text;
}

static void counts_parse(struct str text, int64_t ret_counts[DIFFERENCE_COUNT]) {
  for (int i = 0; i < DIFFERENCE_COUNT; i++)
    if (!str_present(text) || !str_int(str_cut(&text, ' '), &ret_counts[i])) ret_counts[i] = 0;
}

bool comparison_insert(struct store_conn *conn, const struct comparison *c, struct err *err) {
  AUTO(stmt_close)
  struct stmt *q = stmt_open(conn,
                             "INSERT INTO comparisons (tenant_id, " COMPARISON_COLUMNS
                             ", pairs) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
                             err);
  if (!q) return false;
  stmt_bind_id(q, 1, c->tenant);
  stmt_bind_id(q, 2, c->id);
  stmt_bind_id(q, 3, c->scenario);
  stmt_bind_str(q, 4, c->session_ref);
  stmt_bind_str(q, 5, c->subject_ref);
  stmt_bind_id(q, 6, c->baseline);
  stmt_bind_id(q, 7, c->candidate);
  stmt_bind_str(q, 8, c->baseline_variant);
  stmt_bind_str(q, 9, c->candidate_variant);
  stmt_bind_str(q, 10, c->suite_ref);
  if (c->has_baseline_score) stmt_bind_real(q, 11, c->baseline_score);
  if (c->has_candidate_score) stmt_bind_real(q, 12, c->candidate_score);
  stmt_bind_str(q, 13, str_c(verdict_names[c->verdict]));
  stmt_bind_str(q, 14, str_c(c->reason.code));
  stmt_bind_str(q, 15, c->reason.message);
  stmt_bind_bool(q, 16, c->comparable);
  stmt_bind_str(q, 17, c->rule_ref);
  stmt_bind_digest(q, 18, &c->rule_hash);
  stmt_bind_str(q, 19, c->decided_by);
  stmt_bind_int(q, 20, c->occurred_at);
  stmt_bind_int(q, 21, c->differences.differences_omitted);
  stmt_bind_str(q, 22, c->differences.differences);
  stmt_bind_str(q, 23, c->not_comparable);
  stmt_bind_bool(q, 24, c->self_check);
  stmt_bind_bool(q, 25, c->same_spec);
  struct counts_text counts = counts_format(c->differences.counts);
  stmt_bind_str(q, 26, str_c(counts.text));
  stmt_bind_int(q, 27, c->differences.pairs_omitted);
  stmt_bind_bool(q, 28, c->variant_unknown);
  stmt_bind_str(q, 29, c->differences.pairs);
  return stmt_run(&q, err) && ledger(conn, c, err);
}

static enum verdict verdict_of(struct str name) {
  for (int i = 0; verdict_names[i]; i++)
    if (str_eq(str_c(verdict_names[i]), name)) return (enum verdict)i;
  return VERDICT_INCONCLUSIVE;
}

static void read_comparison(struct stmt *q, struct id tenant, struct comparison *ret) {
  *ret = (struct comparison){
      .tenant = tenant,
      .id = stmt_id(q, 0),
      .scenario = stmt_id(q, 1),
      .session_ref = stmt_str(q, 2),
      .subject_ref = stmt_str(q, 3),
      .baseline = stmt_id(q, 4),
      .candidate = stmt_id(q, 5),
      .baseline_variant = stmt_str(q, 6),
      .candidate_variant = stmt_str(q, 7),
      .suite_ref = stmt_str(q, 8),
      .has_baseline_score = !stmt_is_null(q, 9),
      .baseline_score = stmt_real(q, 9),
      .has_candidate_score = !stmt_is_null(q, 10),
      .candidate_score = stmt_real(q, 10),
      .verdict = verdict_of(stmt_str(q, 11)),
      .reason = {.code = stmt_str(q, 12).data, .message = stmt_str(q, 13)},
      .comparable = stmt_bool(q, 14),
      .rule_ref = stmt_str(q, 15),
      .rule_hash = stmt_digest(q, 16),
      .decided_by = stmt_str(q, 17),
      .occurred_at = stmt_int(q, 18),
      .differences = {.differences_omitted = stmt_int(q, 19),
                      .differences = stmt_str(q, 20),
                      .pairs = STR("[]"),
                      .pairs_omitted = stmt_int(q, 25)},
      .not_comparable = stmt_str(q, 21),
      .self_check = stmt_bool(q, 22),
      .same_spec = stmt_bool(q, 23),
      .variant_unknown = stmt_bool(q, 26),
  };
  counts_parse(stmt_str(q, 24), ret->differences.counts);
}

static void keep_texts(struct comparison *c, struct arena *arena) {
  struct str *texts[] = {&c->session_ref,       &c->subject_ref,    &c->baseline_variant, &c->candidate_variant,
                         &c->suite_ref,         &c->rule_ref,       &c->reason.message,   &c->differences.differences,
                         &c->differences.pairs, &c->not_comparable, &c->decided_by};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    if (str_present(*texts[i])) *texts[i] = arena_str(arena, *texts[i]);
  c->reason.code = arena_strdup(arena, str_c(c->reason.code));
}

bool comparison_get(struct store_conn *conn, struct arena *arena, struct id tenant, struct id id,
                    struct comparison *ret_comparison, bool *ret_found, struct err *err) {
  AUTO(stmt_close)
  struct stmt *q =
      stmt_open(conn, "SELECT " COMPARISON_COLUMNS ", pairs FROM comparisons WHERE tenant_id = ? AND id = ?", err);
  if (!q) return false;
  stmt_bind_id(q, 1, tenant);
  stmt_bind_id(q, 2, id);
  enum stmt_result result = stmt_step(q, err);
  if (result == STMT_ERROR) return false;
  *ret_found = result == STMT_ROW;
  if (!*ret_found) return true;
  read_comparison(q, tenant, ret_comparison);
  ret_comparison->differences.pairs = stmt_str(q, 27);
  keep_texts(ret_comparison, arena);
  return true;
}

bool comparison_list(struct store_conn *conn, struct id tenant, const struct comparison_filter *filter,
                     bool oldest_first, struct id after, int limit,
                     void (*visit)(void *ctx, const struct comparison *comparison), void *ctx, struct err *err) {
  AUTO(list_query_done) struct list_query list;
  list_query_init(&list, "SELECT " COMPARISON_COLUMNS " FROM comparisons WHERE tenant_id = ?", tenant);
  list_query_id(&list, "scenario_id = ?", filter->scenario);
  list_query_text(&list, "verdict = ?", filter->verdict);
  list_query_text(&list, "subject_ref = ?", filter->subject_ref);
  list_query_text(&list, "candidate_variant = ?", filter->candidate_variant);
  if (filter->for_gate) list_query_plain(&list, "self_check = 0");
  AUTO(stmt_close) struct stmt *q = list_query_open(&list, conn, "id", oldest_first, after, limit, err);
  if (!q) return false;
  enum stmt_result result;
  while ((result = stmt_step(q, err)) == STMT_ROW) {
    struct comparison c;
    read_comparison(q, tenant, &c);
    visit(ctx, &c);
  }
  return result == STMT_DONE;
}
