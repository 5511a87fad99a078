// SPDX-License-Identifier: Apache-2.0
#include "access/audit.h"
#include "access/test_access.h"
#include "base/buf.h"

static bool append(struct bench *b, struct id tenant, const char *actor, const char *action, int64_t now_ns) {
  struct audit_entry entry = {.tenant = tenant,
                              .actor = str_c(actor),
                              .action = str_c(action),
                              .target = STR("run:1"),
                              .details = STR("{\"n\":1}")};
  return audit_append(b->conn, &entry, now_ns, &b->err);
}

struct kept {
  int count;
  struct audit_row rows[16]; // without text
  char actions[256];
};

static void keep(void *ctx, const struct audit_row *row) {
  struct kept *kept = ctx;
  size_t len = strlen(kept->actions);
  snprintf(kept->actions + len, sizeof kept->actions - len, "%.*s ", STR_ARG(row->action));
  kept->rows[kept->count++] = *row;
}

static struct kept list(struct bench *b, struct id tenant, const char *action, const char *actor, bool newest_first,
                        int64_t after_seq, int limit) {
  struct kept kept = {0};
  CHECK_OK(b, audit_list(b->conn, tenant, str_c(action), str_c(actor), newest_first, after_seq, limit, keep, &kept,
                         &b->err));
  return kept;
}

static void entries_are_numbered_and_chained_by_tenant(void **state) {
  struct bench *b = *state;
  struct id one = id_new(BENCH_NOW), two = id_new(BENCH_NOW);
  static const struct digest zeros;
  for (int i = 0; i < 3; i++) {
    CHECK_OK(b, append(b, one, "local", "a", BENCH_NOW + i));
    CHECK_OK(b, append(b, two, "local", "b", BENCH_NOW + i));
  }
  struct kept kept = list(b, one, NULL, NULL, false, 0, 10);
  assert_int_equal(kept.count, 3);
  assert_string_equal(kept.actions, "a a a ");
  for (int i = 0; i < 3; i++) {
    assert_int_equal(kept.rows[i].seq, i + 1);
    assert_int_equal(kept.rows[i].occurred_at, BENCH_NOW + i);
    assert_true(digest_eq(&kept.rows[i].previous_hash, i == 0 ? &zeros : &kept.rows[i - 1].hash));
  }
}

static void add_field(struct buf *buf, const void *bytes, size_t len) {
  for (int shift = 56; shift >= 0; shift -= 8) buf_add_char(buf, (char)(len >> shift & 0xff));
  buf_add(buf, bytes, len);
}

struct hashes {
  struct id tenant;
  struct digest expected, stored;
};

static void hash_take(void *ctx, const struct audit_row *row) {
  struct hashes *seen = ctx;
  AUTO(buf_done) struct buf buf;
  buf_init(&buf, 4096);
  uint8_t zeros[32] = {0};
  add_field(&buf, zeros, 32);
  add_field(&buf, seen->tenant.bytes, 16);
  add_field(&buf, "1", 1);
  add_field(&buf, id_format(row->id).text, 36);
  add_field(&buf, "2026-01-01T00:00:00.000000007Z", 30);
  add_field(&buf, "local", 5);
  add_field(&buf, "run.stream", 10);
  add_field(&buf, "run:1", 5);
  add_field(&buf, "{\"n\":1}", 7);
  seen->expected = hash_of(buf_str(&buf));
  seen->stored = row->hash;
}

static void the_hash_is_the_documented_one(void **state) {
  struct bench *b = *state;
  struct hashes seen = {.tenant = id_new(BENCH_NOW)};
  CHECK_OK(b, append(b, seen.tenant, "local", "run.stream", BENCH_NOW + 7));
  CHECK_OK(b, audit_list(b->conn, seen.tenant, STR_NONE, STR_NONE, false, 0, 1, hash_take, &seen, &b->err));
  assert_memory_equal(seen.stored.bytes, seen.expected.bytes, DIGEST_BYTES);
}

static void absent_target_and_details_are_empty(void **state) {
  struct bench *b = *state;
  struct id tenant = id_new(BENCH_NOW);
  struct audit_entry entry = {.tenant = tenant, .actor = STR("engine"), .action = STR("start")};
  CHECK_OK(b, audit_append(b->conn, &entry, BENCH_NOW, &b->err));
  assert_string_equal(bench_newest(b, tenant).text, "engine start  {}");
}

static void entries_are_listed_in_pages_both_ways(void **state) {
  struct bench *b = *state;
  struct id tenant = id_new(BENCH_NOW);
  static const char *const actions[] = {"a", "b", "c", "d", "e"};
  for (int i = 0; i < 5; i++) CHECK_OK(b, append(b, tenant, "local", actions[i], BENCH_NOW));
  assert_string_equal(list(b, tenant, NULL, NULL, true, 0, 2).actions, "e d ");
  assert_string_equal(list(b, tenant, NULL, NULL, true, 4, 2).actions, "c b ");
  assert_string_equal(list(b, tenant, NULL, NULL, true, 2, 2).actions, "a ");
  assert_string_equal(list(b, tenant, NULL, NULL, false, 0, 3).actions, "a b c ");
  assert_string_equal(list(b, tenant, NULL, NULL, false, 3, 3).actions, "d e ");
  assert_int_equal(list(b, tenant, NULL, NULL, false, 5, 3).count, 0);
  assert_int_equal(list(b, id_new(BENCH_NOW), NULL, NULL, true, 0, 3).count, 0);
}

static void entries_are_filtered_by_action_and_actor(void **state) {
  struct bench *b = *state;
  struct id tenant = id_new(BENCH_NOW);
  static const char *const actors[] = {"local", "engine"}, *const actions[] = {"x", "y", "z"};
  for (int i = 0; i < 12; i++) CHECK_OK(b, append(b, tenant, actors[i % 2], actions[i % 3], BENCH_NOW));
  struct kept kept = list(b, tenant, "x", NULL, false, 0, 16);
  assert_string_equal(kept.actions, "x x x x ");
  assert_int_equal(kept.rows[3].seq, 10);
  assert_int_equal(list(b, tenant, NULL, "engine", true, 0, 16).count, 6);
  kept = list(b, tenant, "x", "engine", true, 0, 16);
  assert_int_equal(kept.count, 2);
  assert_int_equal(kept.rows[0].seq, 10);
  assert_int_equal(kept.rows[1].seq, 4);
  assert_int_equal(list(b, tenant, "x", "engine", true, 10, 16).count, 1);
  assert_int_equal(list(b, tenant, "", NULL, true, 0, 16).count, 0);
  assert_int_equal(list(b, tenant, "x", "nobody", true, 0, 16).count, 0);
}

static void what_is_undone_takes_its_numbers_back(void **state) {
  struct bench *b = *state;
  struct id tenant = id_new(BENCH_NOW);
  CHECK_OK(b, append(b, tenant, "local", "kept", BENCH_NOW));
  bench_end(b, true);
  bench_begin(b);
  CHECK_OK(b, append(b, tenant, "local", "undone", BENCH_NOW));
  bench_end(b, false);
  bench_begin(b);
  CHECK_OK(b, append(b, tenant, "local", "kept", BENCH_NOW));
  struct kept kept = list(b, tenant, NULL, NULL, false, 0, 16);
  assert_string_equal(kept.actions, "kept kept ");
  assert_int_equal(kept.rows[1].seq, 2);
  assert_true(digest_eq(&kept.rows[1].previous_hash, &kept.rows[0].hash));
}

static void the_database_refuses_to_change_the_ledger(void **state) {
  struct bench *b = *state;
  struct id tenant = id_new(BENCH_NOW);
  CHECK_OK(b, append(b, tenant, "local", "a", BENCH_NOW));
  CHECK_OK(b, append(b, tenant, "local", "a", BENCH_NOW));
  static const char *const refused[] = {
      "UPDATE audit SET actor = 'x' WHERE tenant_id = ?1 AND seq = 1",
      "UPDATE audit SET hash = hash WHERE tenant_id = ?1",
      "DELETE FROM audit WHERE tenant_id = ?1 AND seq = 2",
      "DELETE FROM audit",
      "REPLACE INTO audit SELECT * FROM audit WHERE tenant_id = ?1 AND seq = 2",
      "UPDATE audit_heads SET seq = 1 WHERE tenant_id = ?1",
      "UPDATE audit_heads SET hash = zeroblob(32) WHERE tenant_id = ?1",
      "DELETE FROM audit_heads WHERE tenant_id = ?1",
  };
  for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
    CHECK_FAILS(b, bench_sql(b, refused[i], tenant), ERR_INTERNAL, "audit is append-only");
  struct audit_report report;
  CHECK_OK(b, audit_verify(b->conn, tenant, &report, &b->err));
  assert_int_equal(report.fault, AUDIT_INTACT);
  assert_int_equal(report.entries, 2);
}

static void a_ledger_whose_head_was_put_back_does_not_go_on(void **state) {
  struct bench *b = *state;
  struct id tenant = id_new(BENCH_NOW);
  CHECK_OK(b, append(b, tenant, "local", "a", BENCH_NOW));
  CHECK_OK(b, append(b, tenant, "local", "a", BENCH_NOW));
  CHECK_OK(b, bench_sql(b, "DROP TRIGGER audit_heads_no_delete", tenant));
  CHECK_OK(b, bench_sql(b, "DELETE FROM audit_heads WHERE tenant_id = ?1", tenant));
  CHECK_FAILS(b, append(b, tenant, "local", "a", BENCH_NOW), ERR_INTERNAL, "can't go on at entry 1 (");
  CHECK_OK(b, bench_sql(b, "DROP TRIGGER audit_no_replace", tenant));
  CHECK_FAILS(b, append(b, tenant, "local", "a", BENCH_NOW), ERR_INTERNAL, "run `olivares audit verify`");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      BENCH_TEST(entries_are_numbered_and_chained_by_tenant),
      BENCH_TEST(the_hash_is_the_documented_one),
      BENCH_TEST(absent_target_and_details_are_empty),
      BENCH_TEST(entries_are_listed_in_pages_both_ways),
      BENCH_TEST(entries_are_filtered_by_action_and_actor),
      BENCH_TEST(what_is_undone_takes_its_numbers_back),
      BENCH_TEST(the_database_refuses_to_change_the_ledger),
      BENCH_TEST(a_ledger_whose_head_was_put_back_does_not_go_on),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
