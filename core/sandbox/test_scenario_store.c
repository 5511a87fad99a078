// SPDX-License-Identifier: Apache-2.0
#include "sandbox/test_sandbox.h"

#define BODY(name)                                                                                                     \
  "{\"name\":\"" name "\",\"description\":\"d\",\"subject_kind\":\"bot\",\"seed\":7,"                                  \
  "\"steps\":[{\"input\":\"x\"},{\"input\":\"y\"}],\"mocks\":[{\"resource\":\"x\",\"response\":\"a\"}],"               \
  "\"variants\":{\"v\":{}}}"

static struct scenario get(struct bench *b, struct id id) {
  struct scenario s;
  bool found = false;
  CHECK_OK(b, scenario_get(b->conn, b->arena, b->tenant, id, &s, &found, &b->err));
  assert_true(found);
  return s;
}

static void a_scenario_comes_back_as_it_was_stored(void **state) {
  struct bench *b = *state;
  struct scenario stored = bench_store_scenario(b, BODY("one")), s = get(b, stored.id);
  CHECK_ID(s.tenant, b->tenant);
  CHECK_ID(s.id, stored.id);
  CHECK_STR(s.name, "one");
  CHECK_STR(s.description, "d");
  CHECK_STR(s.subject_kind, "bot");
  CHECK_STR(s.created_by, "user:tester");
  assert_false(s.archived);
  assert_int_equal(s.revision, 1);
  assert_int_equal(s.seed, 7);
  assert_true(digest_eq(&s.spec_hash, &stored.spec_hash));
  assert_int_equal(s.steps_count, 2);
  assert_int_equal(s.mocks_count, 1);
  CHECK_STR(s.variant_names, "[\"v\"]");
  assert_false(str_present(s.clamped));
  CHECK_STR(s.steps, "[{\"input\":\"x\",\"key\":\"step-1\"},{\"input\":\"y\",\"key\":\"step-2\"}]");
  CHECK_STR(s.mocks, "[{\"resource\":\"x\",\"response\":\"a\"}]");
  CHECK_STR(s.variants, "{\"v\":{}}");
  assert_int_equal(s.created_at, BENCH_NOW);
  assert_int_equal(s.updated_at, BENCH_NOW);
  assert_string_equal(bench_ledger(b, b->tenant), "user:tester scenario.create {\"revision\":1}\n");
}

static void the_head_has_no_content(void **state) {
  struct bench *b = *state;
  struct scenario stored = bench_store_scenario(b, BODY("one")), head;
  bool found;
  CHECK_OK(b, scenario_head(b->conn, b->arena, b->tenant, stored.id, &head, &found, &b->err));
  assert_true(found);
  CHECK_STR(head.name, "one");
  CHECK_STR(head.variant_names, "[\"v\"]");
  assert_int_equal(head.revision, 1);
  assert_false(str_present(head.steps) || str_present(head.mocks) || str_present(head.variants));
}

static void another_tenant_has_no_part_in_it(void **state) {
  struct bench *b = *state;
  struct scenario stored = bench_store_scenario(b, BODY("one")), s;
  bool found = true;
  CHECK_OK(b, scenario_get(b->conn, b->arena, b->other_tenant, stored.id, &s, &found, &b->err));
  assert_false(found);
  found = true;
  CHECK_OK(b, scenario_head(b->conn, b->arena, b->other_tenant, stored.id, &s, &found, &b->err));
  assert_false(found);
  found = true;
  CHECK_OK(b,
           scenario_set_archived(b->conn, b->other_tenant, stored.id, true, BENCH_ACTOR, BENCH_NOW, &found, &b->err));
  assert_false(found);
  struct scenario theirs = bench_scenario(b, BODY("two"));
  theirs.tenant = b->other_tenant;
  theirs.id = stored.id;
  found = true;
  CHECK_OK(b, scenario_replace(b->conn, b->arena, &theirs, BENCH_ACTOR, BENCH_NOW, &found, &b->err));
  assert_false(found);
  CHECK_STR(get(b, stored.id).name, "one");
  assert_false(get(b, stored.id).archived);
  assert_string_equal(bench_ledger(b, b->other_tenant), "");
}

static void a_name_is_used_once_in_a_tenant(void **state) {
  struct bench *b = *state;
  struct scenario first = bench_store_scenario(b, BODY("one")), again = bench_scenario(b, BODY("one"));
  assert_false(scenario_insert(b->conn, &again, BENCH_ACTOR, BENCH_NOW, &b->err));
  CHECK_ERR(&b->err, ERR_CONFLICT, id_format(first.id).text);
  assert_string_equal(b->err.place, "name");
  err_clear(&b->err);
  // An archived one still has its name, in another tenant it is free.
  bool found;
  CHECK_OK(b, scenario_set_archived(b->conn, b->tenant, first.id, true, BENCH_ACTOR, BENCH_NOW, &found, &b->err));
  CHECK_FAILS(b, scenario_insert(b->conn, &again, BENCH_ACTOR, BENCH_NOW, &b->err), ERR_CONFLICT, "exists already");
  again.tenant = b->other_tenant;
  CHECK_OK(b, scenario_insert(b->conn, &again, BENCH_ACTOR, BENCH_NOW, &b->err));
}

static void replacing_makes_a_new_revision_and_keeps_the_old_one(void **state) {
  struct bench *b = *state;
  struct scenario first = bench_store_scenario(b, BODY("one"));
  bool found;
  CHECK_OK(b, scenario_set_archived(b->conn, b->tenant, first.id, true, BENCH_ACTOR, BENCH_NOW + 1, &found, &b->err));
  struct scenario second = bench_scenario(b, "{\"name\":\"two\",\"steps\":[{\"input\":\"z\"}]}");
  second.id = first.id;
  second.revision = 0;
  CHECK_OK(b, scenario_replace(b->conn, b->arena, &second, STR("user:other"), BENCH_NOW + 9, &found, &b->err));
  assert_true(found);
  assert_int_equal(second.revision, 2);
  assert_true(second.archived);
  assert_int_equal(second.created_at, BENCH_NOW);
  CHECK_STR(second.created_by, "user:tester");

  struct scenario s = get(b, first.id);
  CHECK_STR(s.name, "two");
  assert_false(str_present(s.description));
  CHECK_STR(s.subject_kind, "agent");
  assert_int_equal(s.revision, 2);
  assert_int_equal(s.seed, 0);
  assert_true(s.archived);
  assert_int_equal(s.created_at, BENCH_NOW);
  assert_int_equal(s.updated_at, BENCH_NOW + 9);
  CHECK_STR(s.created_by, "user:tester");
  CHECK_STR(s.steps, "[{\"input\":\"z\",\"key\":\"step-1\"}]");
  assert_true(digest_eq(&s.spec_hash, &second.spec_hash));
  assert_int_equal(bench_int(b, "SELECT COUNT(*) FROM scenario_revisions WHERE scenario_id = ?1", first.id), 2);
  assert_int_equal(
      bench_int(b, "SELECT length(steps) FROM scenario_revisions WHERE scenario_id = ?1 AND revision = 1", first.id),
      (int64_t)first.steps.len);
  assert_string_equal(bench_ledger(b, b->tenant), "user:tester scenario.create {\"revision\":1}\n"
                                                  "user:tester scenario.archive {\"revision\":1}\n"
                                                  "user:other scenario.update {\"revision\":2}\n");
}

// The writer applies an operation again when its batch has to be repeated.
static void replacing_twice_in_a_repeated_batch_sets_and_does_not_add(void **state) {
  struct bench *b = *state;
  struct scenario first = bench_store_scenario(b, BODY("one")), second = bench_scenario(b, BODY("two"));
  second.id = first.id;
  bool found;
  CHECK_OK(b, bench_sql(b, "SAVEPOINT test", first.id));
  CHECK_OK(b, scenario_replace(b->conn, b->arena, &second, BENCH_ACTOR, BENCH_NOW, &found, &b->err));
  CHECK_OK(b, bench_sql(b, "ROLLBACK TO test", first.id));
  CHECK_OK(b, bench_sql(b, "RELEASE test", first.id));
  CHECK_OK(b, scenario_replace(b->conn, b->arena, &second, BENCH_ACTOR, BENCH_NOW, &found, &b->err));
  assert_int_equal(second.revision, 2);
  assert_int_equal(get(b, first.id).revision, 2);
}

static void replacing_keeps_to_the_names_that_are_free(void **state) {
  struct bench *b = *state;
  struct scenario one = bench_store_scenario(b, BODY("one")), two = bench_store_scenario(b, BODY("two"));
  struct scenario renamed = bench_scenario(b, BODY("two"));
  renamed.id = one.id;
  bool found;
  CHECK_FAILS(b, scenario_replace(b->conn, b->arena, &renamed, BENCH_ACTOR, BENCH_NOW, &found, &b->err), ERR_CONFLICT,
              "'two' exists already");
  CHECK_STR(get(b, one.id).name, "one");
  renamed.id = two.id; // its own name is no conflict
  CHECK_OK(b, scenario_replace(b->conn, b->arena, &renamed, BENCH_ACTOR, BENCH_NOW, &found, &b->err));
}

static void what_is_not_there_is_not_replaced(void **state) {
  struct bench *b = *state;
  struct scenario s = bench_scenario(b, BODY("one"));
  bool found = true;
  CHECK_OK(b, scenario_replace(b->conn, b->arena, &s, BENCH_ACTOR, BENCH_NOW, &found, &b->err));
  assert_false(found);
  assert_int_equal(bench_int(b, "SELECT COUNT(*) FROM scenario_revisions", s.id), 0);
}

static void archiving_twice_writes_once(void **state) {
  struct bench *b = *state;
  struct scenario s = bench_store_scenario(b, BODY("one"));
  static const struct {
    bool archived;
    int64_t at, updated_at;
  } turns[] = {{false, 1, 0}, {true, 2, 2}, {true, 3, 2}, {false, 4, 4}, {false, 5, 4}};
  for (size_t i = 0; i < sizeof turns / sizeof *turns; i++) {
    bool found = false;
    CHECK_OK(b, scenario_set_archived(b->conn, b->tenant, s.id, turns[i].archived, BENCH_ACTOR, BENCH_NOW + turns[i].at,
                                      &found, &b->err));
    assert_true(found);
    assert_int_equal(get(b, s.id).archived, turns[i].archived);
    assert_int_equal(get(b, s.id).updated_at, BENCH_NOW + turns[i].updated_at);
  }
  assert_string_equal(bench_ledger(b, b->tenant), "user:tester scenario.create {\"revision\":1}\n"
                                                  "user:tester scenario.archive {\"revision\":1}\n"
                                                  "user:tester scenario.restore {\"revision\":1}\n");
}

static void clamped_places_are_kept(void **state) {
  struct bench *b = *state;
  struct scenario s = bench_scenario(b, BODY("one"));
  s.clamped = STR("[\"steps[0].input\"]");
  CHECK_OK(b, scenario_insert(b->conn, &s, BENCH_ACTOR, BENCH_NOW, &b->err));
  CHECK_STR(get(b, s.id).clamped, "[\"steps[0].input\"]");
}

// ---- lists ----

static void take_name(void *ctx, const struct scenario *s) {
  assert_false(str_present(s->steps) || str_present(s->mocks) || str_present(s->variants));
  buf_add_str(ctx, s->name);
  buf_add_char(ctx, ' ');
}

static void check_list(struct bench *b, struct scenario_filter filter, bool oldest_first, struct id after, int limit,
                       const char *expected) {
  AUTO(buf_done) struct buf names;
  buf_init(&names, 4096);
  CHECK_OK(b, scenario_list(b->conn, b->tenant, &filter, oldest_first, after, limit, take_name, &names, &b->err));
  CHECK_STR(buf_str(&names), expected);
}

static void lists_are_filtered_ordered_and_cut(void **state) {
  struct bench *b = *state;
  struct id none = {{0}}, two;
  bench_store_scenario(b, BODY("one"));
  two = bench_store_scenario(b, "{\"name\":\"two\",\"steps\":[{\"input\":\"\"}]}").id;
  bench_store_scenario(b, BODY("three"));
  struct scenario theirs = bench_scenario(b, BODY("theirs"));
  theirs.tenant = b->other_tenant;
  CHECK_OK(b, scenario_insert(b->conn, &theirs, BENCH_ACTOR, BENCH_NOW, &b->err));
  bool found;
  CHECK_OK(b, scenario_set_archived(b->conn, b->tenant, two, true, BENCH_ACTOR, BENCH_NOW, &found, &b->err));

  struct scenario_filter all = {0};
  check_list(b, all, false, none, 100, "three two one ");
  check_list(b, all, true, none, 100, "one two three ");
  check_list(b, all, false, none, 2, "three two ");
  check_list(b, all, false, two, 100, "one ");
  check_list(b, all, true, two, 100, "three ");
  check_list(b, (struct scenario_filter){.status = STR("archived")}, false, none, 100, "two ");
  check_list(b, (struct scenario_filter){.status = STR("active")}, false, none, 100, "three one ");
  check_list(b, (struct scenario_filter){.name = STR("three")}, false, none, 100, "three ");
  check_list(b, (struct scenario_filter){.name = STR("thre")}, false, none, 100, "");
  check_list(b, (struct scenario_filter){.subject_kind = STR("agent")}, false, none, 100, "two ");
  check_list(b, (struct scenario_filter){.subject_kind = STR("bot"), .status = STR("active"), .name = STR("one")}, true,
             none, 1, "one ");
}

// ---- the database's own guard ----

static void revisions_are_append_only(void **state) {
  struct bench *b = *state;
  struct scenario s = bench_store_scenario(b, BODY("one"));
  static const char *const refused[] = {
      "UPDATE scenario_revisions SET steps = '[]'",
      "UPDATE scenario_revisions SET created_by = created_by",
      "DELETE FROM scenario_revisions",
      "INSERT OR REPLACE INTO scenario_revisions SELECT tenant_id, scenario_id, revision, spec_hash, created_at, 'x',"
      " steps, mocks, variants FROM scenario_revisions",
  };
  for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
    CHECK_FAILS(b, bench_sql(b, refused[i], s.id), ERR_INTERNAL, "scenario_revisions is append-only");
  CHECK_STR(get(b, s.id).created_by, "user:tester");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      BENCH_LENT_TEST(a_scenario_comes_back_as_it_was_stored),
      BENCH_LENT_TEST(the_head_has_no_content),
      BENCH_LENT_TEST(another_tenant_has_no_part_in_it),
      BENCH_LENT_TEST(a_name_is_used_once_in_a_tenant),
      BENCH_LENT_TEST(replacing_makes_a_new_revision_and_keeps_the_old_one),
      BENCH_LENT_TEST(replacing_twice_in_a_repeated_batch_sets_and_does_not_add),
      BENCH_LENT_TEST(replacing_keeps_to_the_names_that_are_free),
      BENCH_LENT_TEST(what_is_not_there_is_not_replaced),
      BENCH_LENT_TEST(archiving_twice_writes_once),
      BENCH_LENT_TEST(clamped_places_are_kept),
      BENCH_LENT_TEST(lists_are_filtered_ordered_and_cut),
      BENCH_LENT_TEST(revisions_are_append_only),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
