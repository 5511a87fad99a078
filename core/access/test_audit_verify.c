// SPDX-License-Identifier: Apache-2.0
// Every kind of tampering with a ledger of fifty entries, done in SQL by somebody who dropped the triggers first.
#include "access/audit.h"
#include "access/audit_chain.h"
#include "access/test_access.h"

enum { ENTRIES = 50 };

struct ledger {
  struct id tenant, other;
  struct id ids[ENTRIES + 1]; // by seq
  struct digest head;
};

static void append(struct bench *b, struct id tenant, int n) {
  char target[32], details[32];
  snprintf(target, sizeof target, "run:%d", n);
  snprintf(details, sizeof details, "{\"n\":%d}", n);
  struct audit_entry entry = {.tenant = tenant,
                              .actor = STR("local"),
                              .action = STR("run.start"),
                              .target = str_c(target),
                              .details = str_c(details)};
  CHECK_OK(b, audit_append(b->conn, &entry, BENCH_NOW + n, &b->err));
}

static void ledger_take(void *ctx, const struct audit_row *row) {
  struct ledger *ledger = ctx;
  ledger->ids[row->seq] = row->id;
  ledger->head = row->hash;
}

static struct ledger ledger_of(struct bench *b, int entries) {
  struct ledger ledger = {.tenant = id_new(BENCH_NOW), .other = id_new(BENCH_NOW)};
  for (int n = 1; n <= entries; n++) {
    append(b, ledger.tenant, n);
    append(b, ledger.other, n);
  }
  CHECK_OK(b, audit_list(b->conn, ledger.tenant, STR_NONE, STR_NONE, false, 0, ENTRIES, ledger_take, &ledger, &b->err));
  return ledger;
}

static struct audit_report verify(struct bench *b, struct id tenant) {
  struct audit_report report;
  CHECK_OK(b, audit_verify(b->conn, tenant, &report, &b->err));
  return report;
}

static void triggers_drop(struct bench *b) {
  static const char *const drops[] = {
      "DROP TRIGGER audit_no_update",     "DROP TRIGGER audit_no_delete",       "DROP TRIGGER audit_no_replace",
      "DROP TRIGGER audit_heads_forward", "DROP TRIGGER audit_heads_no_delete",
  };
  for (size_t i = 0; i < sizeof drops / sizeof *drops; i++) CHECK_OK(b, bench_sql(b, drops[i], (struct id){0}));
}

static void row_hash(struct bench *b, struct id tenant, int64_t seq, const struct digest *previous,
                     struct digest *ret_hash) {
  AUTO(stmt_close)
  struct stmt *q = stmt_open(b->conn,
                             "SELECT id, occurred_at, actor, action, target, details FROM audit"
                             " WHERE tenant_id = ?1 AND seq = ?2",
                             &b->err);
  assert_non_null(q);
  stmt_bind_id(q, 1, tenant);
  stmt_bind_int(q, 2, seq);
  assert_int_equal(stmt_step(q, &b->err), STMT_ROW);
  struct audit_row row = {.id = stmt_id(q, 0),
                          .occurred_at = stmt_int(q, 1),
                          .actor = stmt_str(q, 2),
                          .action = stmt_str(q, 3),
                          .target = stmt_str(q, 4),
                          .details = stmt_str(q, 5),
                          .previous_hash = *previous};
  *ret_hash = audit_chain_hash(tenant, seq, &row);
}

static struct digest hash_at(struct bench *b, struct id tenant, int64_t seq) {
  AUTO(stmt_close)
  struct stmt *q = stmt_open(b->conn, "SELECT hash FROM audit WHERE tenant_id = ?1 AND seq = ?2", &b->err);
  assert_non_null(q);
  stmt_bind_id(q, 1, tenant);
  stmt_bind_int(q, 2, seq);
  assert_int_equal(stmt_step(q, &b->err), STMT_ROW);
  return stmt_digest(q, 0);
}

/// Makes entries `from` to `to` follow from the one before again, as a careful forger would.
static void rewrite(struct bench *b, struct id tenant, int64_t from, int64_t to) {
  struct digest previous = hash_at(b, tenant, from - 1);
  for (int64_t seq = from; seq <= to; seq++) {
    struct digest hash;
    row_hash(b, tenant, seq, &previous, &hash);
    AUTO(stmt_close)
    struct stmt *q =
        stmt_open(b->conn, "UPDATE audit SET previous_hash = ?3, hash = ?4 WHERE tenant_id = ?1 AND seq = ?2", &b->err);
    assert_non_null(q);
    stmt_bind_id(q, 1, tenant);
    stmt_bind_int(q, 2, seq);
    stmt_bind_digest(q, 3, &previous);
    stmt_bind_digest(q, 4, &hash);
    CHECK_OK(b, stmt_run(&q, &b->err));
    previous = hash;
  }
}

static void an_untouched_ledger_is_intact(void **state) {
  struct bench *b = *state;
  struct ledger ledger = ledger_of(b, ENTRIES);
  struct audit_report report = verify(b, ledger.tenant);
  assert_int_equal(report.fault, AUDIT_INTACT);
  assert_int_equal(report.entries, ENTRIES);
  assert_int_equal(report.first_bad_seq, 0);
  assert_true(id_is_zero(report.first_bad_id));
  assert_true(digest_eq(&report.head, &ledger.head));
  assert_string_equal(report.message, "The ledger is intact: 50 entries.");
}

static void an_empty_ledger_is_intact(void **state) {
  struct bench *b = *state;
  struct audit_report report = verify(b, id_new(BENCH_NOW));
  static const struct digest zeros;
  assert_int_equal(report.fault, AUDIT_INTACT);
  assert_int_equal(report.entries, 0);
  assert_true(digest_eq(&report.head, &zeros));
  assert_string_equal(report.message, "The ledger is intact: 0 entries.");
}

static void a_ledger_emptied_together_with_its_head_is_not_intact(void **state) {
  struct bench *b = *state;
  struct organization org;
  CHECK_OK(b, accounts_local_organization(b->conn, b->arena, BENCH_NOW, &org, &b->err));
  assert_int_equal(verify(b, org.tenant_id).fault, AUDIT_INTACT);
  triggers_drop(b);
  CHECK_OK(b, bench_sql(b, "DELETE FROM audit WHERE tenant_id = ?1", org.tenant_id));
  CHECK_OK(b, bench_sql(b, "DELETE FROM audit_heads WHERE tenant_id = ?1", org.tenant_id));
  struct audit_report report = verify(b, org.tenant_id);
  assert_int_equal(report.fault, AUDIT_TAIL_REMOVED);
  assert_int_equal(report.first_bad_seq, 1);
}

static void a_ledger_of_one_is_intact_and_goes_on(void **state) {
  struct bench *b = *state;
  struct ledger ledger = ledger_of(b, 1);
  assert_string_equal(verify(b, ledger.tenant).message, "The ledger is intact: 1 entry.");
  bench_restart(b);
  append(b, ledger.tenant, 2);
  assert_string_equal(verify(b, ledger.tenant).message, "The ledger is intact: 2 entries.");
}

static void a_reader_of_its_own_can_verify(void **state) {
  struct bench *b = *state;
  struct ledger ledger = ledger_of(b, ENTRIES);
  bench_end(b, true);
  struct store_conn *conn;
  CHECK_OK(b, store_reader_open(b->store, &conn, &b->err));
  struct audit_report report;
  CHECK_OK(b, audit_verify(conn, ledger.tenant, &report, &b->err));
  assert_int_equal(report.fault, AUDIT_INTACT);
  assert_int_equal(report.entries, ENTRIES);
  store_reader_close(conn);
}

struct tampering {
  const char *name;
  const char *sql[4];
  int64_t rewrite_from, rewrite_to; // 0: no hash is made to fit again
  enum audit_fault fault;
  int64_t first_bad_seq;
  int64_t id_of; // whose id is named, by the number it was appended under; 0: none
  const char *words;
};

#define ENTRY_20 " WHERE tenant_id = ?1 AND seq = 20"
#define SWAP(a, b)                                                                                                     \
  {                                                                                                                    \
    "UPDATE audit SET seq = 1000 WHERE tenant_id = ?1 AND seq = " #a,                                                  \
        "UPDATE audit SET seq = " #a " WHERE tenant_id = ?1 AND seq = " #b,                                            \
        "UPDATE audit SET seq = " #b " WHERE tenant_id = ?1 AND seq = 1000"                                            \
  }
#define MAKE_ROOM_AT_20                                                                                                \
  "UPDATE audit SET seq = seq + 1000 WHERE tenant_id = ?1 AND seq >= 20",                                              \
      "UPDATE audit SET seq = seq - 999 WHERE tenant_id = ?1 AND seq > 1000"
#define FORGE(at, hash)                                                                                                \
  "INSERT INTO audit SELECT tenant_id, " #at                                                                           \
  ", randomblob(16), occurred_at, actor, 'forged', target, details, hash, " hash                                       \
  " FROM audit WHERE tenant_id = ?1 AND seq = " #at " - 1"
#define AS_CHECKED .fault = AUDIT_EDITED, .first_bad_seq = 20, .id_of = 20, .words = "Entry 20 was edited"

static const struct tampering tamperings[] = {
    {"occurred_at", {"UPDATE audit SET occurred_at = occurred_at + 1" ENTRY_20}, AS_CHECKED},
    {"occurred_at before 1970", {"UPDATE audit SET occurred_at = -1" ENTRY_20}, AS_CHECKED},
    {"actor", {"UPDATE audit SET actor = 'engine'" ENTRY_20}, AS_CHECKED},
    {"action", {"UPDATE audit SET action = 'run.stop'" ENTRY_20}, AS_CHECKED},
    {"target", {"UPDATE audit SET target = ''" ENTRY_20}, AS_CHECKED},
    {"target to actor", {"UPDATE audit SET actor = actor || target, target = ''" ENTRY_20}, AS_CHECKED},
    {"details", {"UPDATE audit SET details = '{}'" ENTRY_20}, AS_CHECKED},
    {"previous_hash", {"UPDATE audit SET previous_hash = zeroblob(32)" ENTRY_20}, AS_CHECKED},
    {"hash", {"UPDATE audit SET hash = zeroblob(32)" ENTRY_20}, AS_CHECKED},
    {"id",
     {"UPDATE audit SET id = x'01890000000070008000000000000001'" ENTRY_20},
     .fault = AUDIT_EDITED,
     .first_bad_seq = 20,
     .id_of = -1,
     .words = "Entry 20 was edited"},
    {"tenant_id",
     {"UPDATE audit SET tenant_id = randomblob(16)" ENTRY_20},
     .fault = AUDIT_MISSING,
     .first_bad_seq = 20,
     .words = "Entry 20 is missing."},
    {"seq",
     {"UPDATE audit SET seq = 77" ENTRY_20},
     .fault = AUDIT_MISSING,
     .first_bad_seq = 20,
     .words = "Entry 20 is missing."},
    {"first entry edited",
     {"UPDATE audit SET actor = 'engine' WHERE tenant_id = ?1 AND seq = 1"},
     .fault = AUDIT_EDITED,
     .first_bad_seq = 1,
     .id_of = 1,
     .words = "Entry 1 was edited"},
    {"two edited",
     {"UPDATE audit SET actor = 'engine' WHERE tenant_id = ?1 AND seq IN (33, 44)"},
     .fault = AUDIT_EDITED,
     .first_bad_seq = 33,
     .id_of = 33,
     .words = "Entry 33 was edited"},
    {"edited with its hash",
     {"UPDATE audit SET actor = 'engine'" ENTRY_20},
     .rewrite_from = 20,
     .rewrite_to = 20,
     .fault = AUDIT_EDITED,
     .first_bad_seq = 21,
     .id_of = 21,
     .words = "Entry 21 does not follow from the entry before it"},
    {"edited with all that follows",
     {"UPDATE audit SET actor = 'engine'" ENTRY_20},
     .rewrite_from = 20,
     .rewrite_to = ENTRIES,
     .fault = AUDIT_TAIL_REMOVED,
     .first_bad_seq = ENTRIES,
     .id_of = ENTRIES,
     .words = "Entry 50 is not the one recorded as the newest"},
    {"middle deleted",
     {"DELETE FROM audit" ENTRY_20},
     .fault = AUDIT_MISSING,
     .first_bad_seq = 20,
     .words = "Entry 20 is missing."},
    {"several deleted",
     {"DELETE FROM audit WHERE tenant_id = ?1 AND seq BETWEEN 20 AND 22"},
     .fault = AUDIT_MISSING,
     .first_bad_seq = 20,
     .words = "Entries 20 to 22 are missing."},
    {"first deleted",
     {"DELETE FROM audit WHERE tenant_id = ?1 AND seq = 1"},
     .fault = AUDIT_MISSING,
     .first_bad_seq = 1,
     .words = "Entry 1 is missing."},
    {"deleted and closed up",
     {"DELETE FROM audit" ENTRY_20, "UPDATE audit SET seq = seq + 1000 WHERE tenant_id = ?1 AND seq > 20",
      "UPDATE audit SET seq = seq - 1001 WHERE tenant_id = ?1 AND seq > 1000"},
     .fault = AUDIT_REORDERED,
     .first_bad_seq = 20,
     .id_of = 21,
     .words = "Entry 20 was appended as entry 21"},
    {"deleted, closed up and rewritten",
     {"DELETE FROM audit" ENTRY_20, "UPDATE audit SET seq = seq + 1000 WHERE tenant_id = ?1 AND seq > 20",
      "UPDATE audit SET seq = seq - 1001 WHERE tenant_id = ?1 AND seq > 1000"},
     .rewrite_from = 20,
     .rewrite_to = ENTRIES - 1,
     .fault = AUDIT_TAIL_REMOVED,
     .first_bad_seq = ENTRIES,
     .words = "The ledger ends at entry 49, but entry 50 is recorded"},
    {"last deleted",
     {"DELETE FROM audit WHERE tenant_id = ?1 AND seq = 50"},
     .fault = AUDIT_TAIL_REMOVED,
     .first_bad_seq = 50,
     .words = "The ledger ends at entry 49, but entry 50 is recorded"},
    {"tail deleted",
     {"DELETE FROM audit WHERE tenant_id = ?1 AND seq > 40"},
     .fault = AUDIT_TAIL_REMOVED,
     .first_bad_seq = 41,
     .words = "The ledger ends at entry 40, but entry 50 is recorded"},
    {"all deleted",
     {"DELETE FROM audit WHERE tenant_id = ?1"},
     .fault = AUDIT_TAIL_REMOVED,
     .first_bad_seq = 1,
     .words = "The ledger ends at entry 0, but entry 50 is recorded"},
    {"swapped", SWAP(20, 30), .fault = AUDIT_REORDERED, .first_bad_seq = 20, .id_of = 30,
     .words = "Entry 20 was appended as entry 30"},
    {"neighbours swapped", SWAP(20, 21), .fault = AUDIT_REORDERED, .first_bad_seq = 20, .id_of = 21,
     .words = "Entry 20 was appended as entry 21"},
    {"ends swapped", SWAP(1, 50), .fault = AUDIT_REORDERED, .first_bad_seq = 1, .id_of = 50,
     .words = "Entry 1 was appended as entry 50"},
    {"repeated",
     {"DELETE FROM audit" ENTRY_20,
      "INSERT INTO audit SELECT tenant_id, 20, id, occurred_at, actor, action, target, details, previous_hash, hash"
      " FROM audit WHERE tenant_id = ?1 AND seq = 10"},
     .fault = AUDIT_REORDERED,
     .first_bad_seq = 20,
     .id_of = 10,
     .words = "Entry 20 was appended as entry 10"},
    {"forged entry inserted",
     {MAKE_ROOM_AT_20, FORGE(20, "zeroblob(32)")},
     .fault = AUDIT_EDITED,
     .first_bad_seq = 20,
     .id_of = -1,
     .words = "Entry 20 was edited"},
    {"forged entry inserted with its hash",
     {MAKE_ROOM_AT_20, FORGE(20, "zeroblob(32)")},
     .rewrite_from = 20,
     .rewrite_to = 20,
     .fault = AUDIT_REORDERED,
     .first_bad_seq = 21,
     .id_of = 20,
     .words = "Entry 21 was appended as entry 20"},
    {"forged entry at the end",
     {FORGE(51, "zeroblob(32)")},
     .fault = AUDIT_EDITED,
     .first_bad_seq = 51,
     .id_of = -1,
     .words = "Entry 51 was edited"},
    {"forged entry at the end with its hash",
     {FORGE(51, "zeroblob(32)")},
     .rewrite_from = 51,
     .rewrite_to = 51,
     .fault = AUDIT_EDITED,
     .first_bad_seq = 51,
     .id_of = -1,
     .words = "Entry 51 stands behind entry 50"},
    {"entry before the first",
     {"PRAGMA ignore_check_constraints = 1",
      "INSERT INTO audit SELECT tenant_id, 0, randomblob(16), 0, 'x', 'x', '', '{}', hash, hash FROM audit" ENTRY_20,
      "PRAGMA ignore_check_constraints = 0"},
     .fault = AUDIT_EDITED,
     .first_bad_seq = 0,
     .id_of = -1,
     .words = "Entry 0 has a number that is never given"},
    {"head's hash",
     {"UPDATE audit_heads SET hash = zeroblob(32) WHERE tenant_id = ?1"},
     .fault = AUDIT_TAIL_REMOVED,
     .first_bad_seq = 50,
     .id_of = 50,
     .words = "Entry 50 is not the one recorded as the newest"},
    {"head put forward",
     {"UPDATE audit_heads SET seq = 51 WHERE tenant_id = ?1"},
     .fault = AUDIT_TAIL_REMOVED,
     .first_bad_seq = 51,
     .words = "The ledger ends at entry 50, but entry 51 is recorded"},
    {"head put back",
     {"UPDATE audit_heads SET seq = 40 WHERE tenant_id = ?1"},
     .fault = AUDIT_EDITED,
     .first_bad_seq = 41,
     .id_of = 41,
     .words = "Entry 41 stands behind entry 40"},
    {"head deleted",
     {"DELETE FROM audit_heads WHERE tenant_id = ?1"},
     .fault = AUDIT_TAIL_REMOVED,
     .first_bad_seq = 51,
     .words = "The record of the newest entry is gone"},
};

static void tamper(struct bench *b, const struct tampering *how, const struct ledger *ledger) {
  for (size_t i = 0; i < sizeof how->sql / sizeof *how->sql && how->sql[i]; i++)
    CHECK_OK(b, bench_sql(b, how->sql[i], ledger->tenant));
  if (how->rewrite_from) rewrite(b, ledger->tenant, how->rewrite_from, how->rewrite_to);
}

static void report_is(const struct audit_report *report, const struct tampering *how, const struct ledger *ledger) {
  if (report->fault != how->fault || report->first_bad_seq != how->first_bad_seq)
    print_error("%s: %s at %d: %s\n", how->name, audit_fault_name(report->fault), (int)report->first_bad_seq,
                report->message);
  assert_string_equal(audit_fault_name(report->fault), audit_fault_name(how->fault));
  assert_int_equal(report->first_bad_seq, how->first_bad_seq);
  if (!strstr(report->message, how->words)) fail_msg("%s: %s", how->name, report->message);
  if (how->id_of >= 0)
    assert_memory_equal(report->first_bad_id.bytes, ledger->ids[how->id_of].bytes, sizeof report->first_bad_id.bytes);
  else
    assert_false(id_is_zero(report->first_bad_id));
}

static void every_tampering_is_named(void **state) {
  struct bench *b = *state;
  bench_end(b, true);
  for (size_t i = 0; i < sizeof tamperings / sizeof *tamperings; i++) {
    bench_begin(b);
    struct ledger ledger = ledger_of(b, ENTRIES);
    triggers_drop(b);
    tamper(b, &tamperings[i], &ledger);
    struct audit_report report = verify(b, ledger.tenant);
    report_is(&report, &tamperings[i], &ledger);
    assert_int_equal(verify(b, ledger.other).fault, AUDIT_INTACT);
    bench_end(b, false);
  }
  bench_begin(b);
}

static void what_is_left_is_counted_behind_a_fault(void **state) {
  struct bench *b = *state;
  struct ledger ledger = ledger_of(b, ENTRIES);
  triggers_drop(b);
  CHECK_OK(b, bench_sql(b, "DELETE FROM audit" ENTRY_20, ledger.tenant));
  struct audit_report report = verify(b, ledger.tenant);
  assert_int_equal(report.entries, ENTRIES - 1);
  assert_true(digest_eq(&report.head, &ledger.head));
}

static void faults_have_names(void **state) {
  (void)state;
  assert_string_equal(audit_fault_name(AUDIT_INTACT), "intact");
  assert_string_equal(audit_fault_name(AUDIT_EDITED), "edited");
  assert_string_equal(audit_fault_name(AUDIT_MISSING), "missing");
  assert_string_equal(audit_fault_name(AUDIT_REORDERED), "reordered");
  assert_string_equal(audit_fault_name(AUDIT_TAIL_REMOVED), "tail_removed");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      BENCH_TEST(an_untouched_ledger_is_intact),
      BENCH_TEST(an_empty_ledger_is_intact),
      BENCH_TEST(a_ledger_emptied_together_with_its_head_is_not_intact),
      BENCH_TEST(a_ledger_of_one_is_intact_and_goes_on),
      BENCH_TEST(a_reader_of_its_own_can_verify),
      BENCH_TEST(every_tampering_is_named),
      BENCH_TEST(what_is_left_is_counted_behind_a_fault),
      cmocka_unit_test(faults_have_names),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
