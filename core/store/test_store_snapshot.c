// SPDX-License-Identifier: Apache-2.0
#include <stdatomic.h>

#include "store/test_store.h"

static int64_t count_items(struct bench *b) {
  return query_int(store_reader(b->store), "SELECT COUNT(*) FROM items");
}

/// A commit that the loop has not been told of.
static void commit_behind_the_back(struct bench *b, const char *name) {
  char sql[128];
  snprintf(sql, sizeof sql, "INSERT INTO items (name, value) VALUES ('%s', 1)", name);
  bench_sqlite(b, sql);
}

static void the_reads_of_a_turn_see_one_state(void **state) {
  struct bench *b = *state;
  assert_int_equal(count_items(b), 0);
  commit_behind_the_back(b, "a");
  assert_int_equal(count_items(b), 0);
  loop_turn(b->loop, true);
  assert_int_equal(count_items(b), 1);
}

static void a_snapshot_that_is_not_read_again_ends_with_the_turn(void **state) {
  struct bench *b = *state;
  struct store_conn *reader = store_reader(b->store);
  assert_int_equal(query_int(reader, "SELECT COUNT(*) FROM items"), 0);
  loop_turn(b->loop, true);
  commit_behind_the_back(b, "a");
  assert_int_equal(query_int(reader, "SELECT COUNT(*) FROM items"), 1);
}

// ---- a `done` while a snapshot is open ----

// More than the writer takes at once: the last of them is a batch of its own.
enum { CROWD = 513 };

struct gate {
  struct work works[CROWD];
  struct bench *bench;
  atomic_bool open;
  int64_t seen;
};

static bool nothing(struct work *work, struct store_conn *conn, struct err *err) {
  (void)work, (void)conn, (void)err;
  return true;
}

static struct gate *gate_of(struct work *last) {
  return (struct gate *)(void *)(last - (CROWD - 1));
}

static bool insert_behind_the_gate(struct work *work, struct store_conn *conn, struct err *err) {
  while (!gate_of(work)->open) sched_yield();
  return insert(conn, work->name, 1, err);
}

static void look(struct store_op *op) {
  struct gate *gate = gate_of((struct work *)op);
  gate->seen = count_items(gate->bench);
}

static void wait_for_commits(struct bench *b, uint64_t count) {
  struct store_stats stats = {0};
  while (stats.commits < count) store_stats(b->store, &stats);
}

static void read_before_the_commit(void *ctx) {
  struct gate *gate = ctx;
  assert_int_equal(count_items(gate->bench), 1);
  gate->open = true;
  wait_for_commits(gate->bench, 2);
}

/// In the turn in which the first batch is delivered, something reads before that, and the second batch is committed
/// behind it. Both are delivered then, and what is `done` last must not be shown the older state.
static void a_done_sees_what_was_committed(void **state) {
  struct bench *b = *state;
  struct gate *gate = mem_zalloc(sizeof *gate);
  gate->bench = b;
  for (int i = 0; i < CROWD; i++) gate->works[i].fn = nothing;
  gate->works[0].fn = work_insert;
  gate->works[0].name = "first";
  gate->works[CROWD - 1] = (struct work){.fn = insert_behind_the_gate, .name = "last", .op = {.done = look}};
  for (int i = 0; i < CROWD; i++) work_submit(b, &gate->works[i]);
  loop_turn(b->loop, false);
  wait_for_commits(b, 1);

  struct loop_timer *timer = loop_timer_open(b->loop, read_before_the_commit, gate);
  loop_timer_set(timer, 0);
  bench_settle(b);
  assert_true(gate->works[CROWD - 1].op.ok);
  assert_int_equal(gate->seen, 2);
  loop_timer_close(timer);
  free(gate);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      BENCH_OPEN_TEST(the_reads_of_a_turn_see_one_state),
      BENCH_OPEN_TEST(a_snapshot_that_is_not_read_again_ends_with_the_turn),
      BENCH_OPEN_TEST(a_done_sees_what_was_committed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
