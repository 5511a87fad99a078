// SPDX-License-Identifier: Apache-2.0
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

struct looking {
  struct work work; // first
  struct bench *bench;
  int64_t seen;
};

static void look(struct store_op *op) {
  struct looking *looking = (struct looking *)op;
  looking->seen = count_items(looking->bench);
}

/// The loop reads until it is told, so that a snapshot is open whenever the news comes.
static void a_done_sees_what_was_committed(void **state) {
  struct bench *b = *state;
  for (int i = 0; i < 100; i++) {
    char name[16];
    snprintf(name, sizeof name, "item %d", i);
    struct looking looking = {.work = {.fn = work_insert, .name = name, .op = {.done = look}}, .bench = b, .seen = -1};
    work_submit(b, &looking.work);
    while (!store_idle(b->store)) {
      assert_true(count_items(b) >= i);
      loop_turn(b->loop, false);
    }
    assert_true(looking.work.op.ok);
    assert_int_equal(looking.seen, i + 1);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      BENCH_OPEN_TEST(the_reads_of_a_turn_see_one_state),
      BENCH_OPEN_TEST(a_snapshot_that_is_not_read_again_ends_with_the_turn),
      BENCH_OPEN_TEST(a_done_sees_what_was_committed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
