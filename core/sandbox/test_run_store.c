// SPDX-License-Identifier: Apache-2.0
#include "sandbox/run.h"
#include "sandbox/test_sandbox.h"

static struct digest digest_filled(uint8_t byte) {
  struct digest digest;
  memset(digest.bytes, byte, sizeof digest.bytes);
  return digest;
}

static struct run running(struct bench *b) {
  return (struct run){
      .tenant = b->tenant,
      .id = id_new(b->now_ns),
      .kind = RUN_SCENARIO,
      .scenario = b->other_tenant, // any id
      .scenario_revision = 3,
      .spec_hash = digest_filled(1),
      .subject_ref = STR("agent:s"),
      .runner = STR("fake"),
      .overlaid = true,
      .launched_by = BENCH_ACTOR,
      .attestation = STR("{}"),
      .seed = 7,
      .isolated = true,
      .status = RUN_RUNNING,
      .started_at = BENCH_NOW,
  };
}

static struct run ended(struct bench *b) {
  struct run run = running(b);
  run.status = RUN_DEGRADED;
  run.reason = (struct reason){"not_scored", STR("Not scored.")};
  run.variant = STR("v");
  run.suite_ref = STR("suite");
  run.attestation = STR("{\"runner\":\"fake\"}");
  run.destroyed = true;
  run.steps_total = INT64_C(3000000000);
  run.steps_ok = INT64_C(2999999999);
  run.steps_error = 1;
  run.has_outputs_hash = true;
  run.outputs_hash = digest_filled(2);
  run.scored = true;
  run.score = 0.1;
  run.passed = true;
  run.unused_mock_count = 4;
  run.unused_mocks = STR("[\"mocks[2]\"]");
  run.virtual_ms = 1500;
  run.overlaid = true;
  run.finished_at = BENCH_NOW + 5;
  run.duration_ms = 12;
  return run;
}

static struct run get(struct bench *b, struct id id) {
  struct run run;
  bool found = false;
  CHECK_OK(b, run_get(b->conn, b->arena, b->tenant, id, &run, &found, &b->err));
  assert_true(found);
  return run;
}

static void check_same(const struct run *a, const struct run *e) {
  CHECK_ID(a->tenant, e->tenant);
  CHECK_ID(a->id, e->id);
  assert_int_equal(a->kind, e->kind);
  CHECK_ID(a->scenario, e->scenario);
  assert_int_equal(a->scenario_revision, e->scenario_revision);
  assert_true(digest_eq(&a->spec_hash, &e->spec_hash));
  const struct str texts[][2] = {
      {a->subject_ref, e->subject_ref},       {a->variant, e->variant},         {a->runner, e->runner},
      {a->suite_ref, e->suite_ref},           {a->launched_by, e->launched_by}, {a->attestation, e->attestation},
      {a->reason.message, e->reason.message},
  };
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    assert_int_equal(str_present(texts[i][0]), str_present(texts[i][1]));
    assert_true(str_eq(texts[i][0], texts[i][1]));
  }
  assert_true(str_eq(str_c(a->reason.code), str_c(e->reason.code)));
  assert_int_equal(a->seed, e->seed);
  assert_int_equal(a->isolated, e->isolated);
  assert_int_equal(a->destroyed, e->destroyed);
  assert_int_equal(a->status, e->status);
  assert_int_equal(a->steps_total, e->steps_total);
  assert_int_equal(a->steps_ok, e->steps_ok);
  assert_int_equal(a->steps_error, e->steps_error);
  assert_int_equal(a->has_outputs_hash, e->has_outputs_hash);
  assert_true(digest_eq(&a->outputs_hash, &e->outputs_hash));
  assert_int_equal(a->scored, e->scored);
  assert_int_equal(a->passed, e->passed);
  assert_true(a->score == e->score);
  assert_int_equal(a->unused_mock_count, e->unused_mock_count);
  CHECK_STR(a->unused_mocks, e->unused_mocks.data ? e->unused_mocks.data : "[]");
  assert_int_equal(a->virtual_ms, e->virtual_ms);
  assert_int_equal(a->overlaid, e->overlaid);
  assert_int_equal(a->started_at, e->started_at);
  assert_int_equal(a->finished_at, e->finished_at);
  assert_int_equal(a->duration_ms, e->duration_ms);
}

static void a_run_comes_back_as_it_was_stored(void **state) {
  struct bench *b = *state;
  struct run open = running(b), over = ended(b);
  CHECK_OK(b, run_insert(b->conn, &open, &b->err) && run_insert(b->conn, &over, &b->err));
  struct run open_read = get(b, open.id), over_read = get(b, over.id);
  check_same(&open_read, &open);
  check_same(&over_read, &over);
}

static void every_kind_status_and_reason_comes_back(void **state) {
  struct bench *b = *state;
  for (int kind = 0; run_kind_names[kind]; kind++)
    for (int status = 0; run_status_names[status]; status++)
      for (int reason = 0; run_reason_codes[reason]; reason++) {
        struct run run = running(b);
        run.kind = (enum run_kind)kind;
        run.status = (enum run_status)status;
        run.reason = (struct reason){run_reason_codes[reason], STR("m")};
        CHECK_OK(b, run_insert(b->conn, &run, &b->err));
        struct run read = get(b, run.id);
        check_same(&read, &run);
      }
}

static void a_run_without_a_scenario_has_none(void **state) {
  struct bench *b = *state;
  struct run run = running(b);
  run.scenario = (struct id){{0}};
  run.scenario_revision = 0;
  CHECK_OK(b, run_insert(b->conn, &run, &b->err));
  assert_int_equal(bench_int(b, "SELECT scenario_id IS NULL AND scenario_revision IS NULL FROM runs", run.id), 1);
  struct run read = get(b, run.id);
  check_same(&read, &run);
}

static void finishing_changes_what_an_end_changes(void **state) {
  struct bench *b = *state;
  struct run run = running(b), end = ended(b);
  CHECK_OK(b, run_insert(b->conn, &run, &b->err));
  end.id = run.id;
  CHECK_OK(b, run_finish(b->conn, &end, &b->err));
  end.variant = end.suite_ref = STR_NONE; // said at the start
  struct run read = get(b, run.id);
  check_same(&read, &end);
}

static void a_run_that_is_not_there_is_not_finished(void **state) {
  struct bench *b = *state;
  struct run run = ended(b);
  CHECK_FAILS(b, run_finish(b->conn, &run, &b->err), ERR_INTERNAL, "is not in the store");
}

static void another_tenant_sees_nothing_of_it(void **state) {
  struct bench *b = *state;
  struct run run = ended(b), read;
  bool found = true;
  CHECK_OK(b, run_insert(b->conn, &run, &b->err));
  CHECK_OK(b, run_get(b->conn, b->arena, b->other_tenant, run.id, &read, &found, &b->err));
  assert_false(found);
}

// A later engine's words, or an edited file's: what is not understood must not become another reason, or an end that
// never comes.
static void words_that_are_not_known_claim_nothing_else(void **state) {
  struct bench *b = *state;
  struct run run = running(b);
  CHECK_OK(b, run_insert(b->conn, &run, &b->err));
  CHECK_OK(b, bench_sql(b, "UPDATE runs SET status = 'paused', reason_code = 'lunch', reason_message = 'm'", run.id));
  struct run read = get(b, run.id);
  assert_int_equal(read.status, RUN_ERROR);
  assert_string_equal(read.reason.code, "lunch");
  CHECK_STR(read.reason.message, "m");
}

// ---- specs ----

static void a_spec_is_stored_once(void **state) {
  struct bench *b = *state;
  struct digest hash = digest_filled(3), other = digest_filled(4);
  CHECK_OK(b, run_insert_spec(b->conn, b->tenant, &hash, STR("{\"a\":1}"), &b->err));
  CHECK_OK(b, run_insert_spec(b->conn, b->tenant, &hash, STR("{\"a\":1}"), &b->err));
  CHECK_OK(b, run_insert_spec(b->conn, b->other_tenant, &hash, STR("{}"), &b->err));
  assert_int_equal(bench_int(b, "SELECT COUNT(*) FROM specs WHERE tenant_id = ?1", b->tenant), 1);
  struct str text;
  CHECK_OK(b, run_get_spec(b->conn, b->arena, b->tenant, &hash, &text, &b->err));
  CHECK_STR(text, "{\"a\":1}");
  CHECK_FAILS(b, run_get_spec(b->conn, b->arena, b->tenant, &other, &text, &b->err), ERR_INTERNAL, "not in the store");
}

// ---- outputs ----

static struct output output_of(const struct run *run, int64_t seq) {
  return (struct output){.id = id_new(BENCH_NOW),
                         .run = run->id,
                         .seq = seq,
                         .step_key = STR("k"),
                         .output = STR(""),
                         .mock_hit = seq % 2 == 0,
                         .clamped = seq == 2,
                         .calls = STR("[{}]"),
                         .occurred_at = BENCH_NOW + seq};
}

struct seen {
  struct buf text;
  int most; // visits until it has seen enough
};

static bool take_output(void *ctx, const struct output *o) {
  struct seen *seen = ctx;
  assert_int_equal(o->occurred_at, BENCH_NOW + o->seq);
  CHECK_STR(o->step_key, "k");
  CHECK_STR(o->calls, "[{}]");
  assert_true(str_present(o->output));
  buf_addf(&seen->text, "%lld%s%s ", (long long)o->seq, o->mock_hit ? "h" : "", o->clamped ? "c" : "");
  return --seen->most > 0;
}

static void check_outputs(struct bench *b, const struct run *run, bool descending, int64_t after, int limit, int most,
                          const char *expected) {
  struct seen seen = {.most = most};
  buf_init(&seen.text, 4096);
  CHECK_OK(b, run_outputs(b->conn, b->tenant, run->id, descending, after, limit, take_output, &seen, &b->err));
  CHECK_STR(buf_str(&seen.text), expected);
  buf_done(&seen.text);
}

static void outputs_are_read_in_pages_in_both_directions(void **state) {
  struct bench *b = *state;
  struct run run = running(b), other = running(b);
  CHECK_OK(b, run_insert(b->conn, &run, &b->err));
  for (int64_t seq = 3; seq >= 0; seq--) {
    struct output o = output_of(&run, seq);
    CHECK_OK(b, run_insert_output(b->conn, b->tenant, &o, &b->err));
  }
  check_outputs(b, &run, false, -1, 100, 100, "0h 1 2hc 3 ");
  check_outputs(b, &run, false, 0, 2, 100, "1 2hc ");
  check_outputs(b, &run, false, 3, 100, 100, "");
  check_outputs(b, &run, false, -1, 100, 2, "0h 1 ");
  check_outputs(b, &run, true, INT64_MAX, 100, 100, "3 2hc 1 0h ");
  check_outputs(b, &run, true, 2, 1, 100, "1 ");
  check_outputs(b, &run, true, 0, 100, 100, "");
  check_outputs(b, &other, false, -1, 100, 100, "");
}

// ---- lists ----

static void take_run(void *ctx, const struct run *run) {
  buf_addf(ctx, "%.*s ", STR_ARG(run->launched_by));
}

static void check_list(struct bench *b, struct run_filter filter, bool oldest_first, struct id after, int limit,
                       const char *expected) {
  AUTO(buf_done) struct buf names;
  buf_init(&names, 4096);
  CHECK_OK(b, run_list(b->conn, b->tenant, &filter, oldest_first, after, limit, take_run, &names, &b->err));
  CHECK_STR(buf_str(&names), expected);
}

static struct id add(struct bench *b, const char *name, enum run_kind kind, enum run_status status, const char *variant,
                     struct id scenario) {
  struct run run = running(b);
  run.launched_by = str_c(name);
  run.kind = kind;
  run.status = status;
  run.variant = str_c(variant);
  run.scenario = scenario;
  CHECK_OK(b, run_insert(b->conn, &run, &b->err));
  return run.id;
}

static void lists_are_filtered_ordered_and_cut(void **state) {
  struct bench *b = *state;
  struct id none = {{0}}, scenario = id_new(BENCH_NOW), other = id_new(BENCH_NOW);
  add(b, "a", RUN_SCENARIO, RUN_COMPLETED, NULL, scenario);
  struct id second = add(b, "b", RUN_COMPARE, RUN_COMPLETED, "v", scenario);
  add(b, "c", RUN_SCENARIO, RUN_ERROR, "v", other);
  add(b, "d", RUN_REPLAY, RUN_DEGRADED, "", none);
  struct run theirs = ended(b);
  theirs.tenant = b->other_tenant;
  CHECK_OK(b, run_insert(b->conn, &theirs, &b->err));

  struct run_filter all = {0};
  check_list(b, all, false, none, 100, "d c b a ");
  check_list(b, all, true, none, 100, "a b c d ");
  check_list(b, all, true, none, 2, "a b ");
  check_list(b, all, true, second, 100, "c d ");
  check_list(b, all, false, second, 100, "a ");
  check_list(b, (struct run_filter){.scenario = scenario}, false, none, 100, "b a ");
  check_list(b, (struct run_filter){.kind = STR("scenario")}, false, none, 100, "c a ");
  check_list(b, (struct run_filter){.kind = STR("compare")}, false, none, 100, "b ");
  check_list(b, (struct run_filter){.status = STR("completed")}, false, none, 100, "b a ");
  check_list(b, (struct run_filter){.status = STR("degraded")}, false, none, 100, "d ");
  check_list(b, (struct run_filter){.variant = STR("v")}, false, none, 100, "c b ");
  check_list(b, (struct run_filter){.variant = STR("")}, false, none, 100, "d ");
  check_list(b, (struct run_filter){.subject_ref = STR("agent:s")}, false, none, 1, "d ");
  check_list(b, (struct run_filter){.subject_ref = STR("agent:")}, false, none, 100, "");
  check_list(b,
             (struct run_filter){.kind = STR("compare"),
                                 .status = STR("completed"),
                                 .variant = STR("v"),
                                 .subject_ref = STR("agent:s"),
                                 .scenario = scenario},
             true, none, 100, "b ");
}

// ---- the database's own guard ----

static void check_refused(struct bench *b, const char *const *statements, size_t count, const char *words) {
  for (size_t i = 0; i < count; i++) {
    if (bench_sql(b, statements[i], b->tenant)) fail_msg("not refused: %s", statements[i]);
    CHECK_ERR(&b->err, ERR_INTERNAL, words);
    err_clear(&b->err);
  }
}

static void a_run_that_has_ended_is_never_changed(void **state) {
  struct bench *b = *state;
  struct run run = ended(b), open = running(b);
  CHECK_OK(b, run_insert(b->conn, &run, &b->err) && run_insert(b->conn, &open, &b->err));
  struct run other = run;
  other.status = RUN_COMPLETED;
  CHECK_FAILS(b, run_finish(b->conn, &other, &b->err), ERR_INTERNAL, "a run that has ended is not changed");
  static const char *const changes[] = {
      "UPDATE runs SET score = 1 WHERE status = 'degraded'",
      "UPDATE runs SET status = 'running' WHERE status = 'degraded'",
      "UPDATE OR REPLACE runs SET id = (SELECT id FROM runs WHERE status = 'degraded') WHERE status = 'running'",
  };
  check_refused(b, changes, 3, "a run that has ended is not changed");
  static const char *const replacements[] = {
      "INSERT OR REPLACE INTO runs SELECT * FROM runs WHERE status = 'degraded'",
      "REPLACE INTO runs SELECT * FROM runs",
  };
  check_refused(b, replacements, 2, "a run is recorded once");
  static const char *const deletions[] = {"DELETE FROM runs WHERE status = 'degraded'", "DELETE FROM runs"};
  check_refused(b, deletions, 2, "runs are not deleted");
  struct run read = get(b, run.id);
  check_same(&read, &run);
}

static void outputs_and_specs_are_append_only(void **state) {
  struct bench *b = *state;
  struct run run = running(b);
  struct output o = output_of(&run, 0);
  CHECK_OK(b, run_insert(b->conn, &run, &b->err) && run_insert_output(b->conn, b->tenant, &o, &b->err) &&
                  run_insert_spec(b->conn, b->tenant, &run.spec_hash, STR("{}"), &b->err));
  static const char *const outputs[] = {
      "UPDATE outputs SET output = 'x'",
      "DELETE FROM outputs",
      "INSERT OR REPLACE INTO outputs SELECT * FROM outputs",
  };
  check_refused(b, outputs, 3, "outputs is append-only");
  static const char *const specs[] = {
      "UPDATE specs SET canonical = '{}'",
      "DELETE FROM specs",
      "INSERT OR REPLACE INTO specs SELECT * FROM specs",
  };
  check_refused(b, specs, 3, "specs is append-only");
  assert_false(run_insert_output(b->conn, b->tenant, &o, &b->err)); // a seq once
}

int main(void) {
  const struct CMUnitTest tests[] = {
      BENCH_LENT_TEST(a_run_comes_back_as_it_was_stored),
      BENCH_LENT_TEST(every_kind_status_and_reason_comes_back),
      BENCH_LENT_TEST(a_run_without_a_scenario_has_none),
      BENCH_LENT_TEST(finishing_changes_what_an_end_changes),
      BENCH_LENT_TEST(a_run_that_is_not_there_is_not_finished),
      BENCH_LENT_TEST(another_tenant_sees_nothing_of_it),
      BENCH_LENT_TEST(words_that_are_not_known_claim_nothing_else),
      BENCH_LENT_TEST(a_spec_is_stored_once),
      BENCH_LENT_TEST(outputs_are_read_in_pages_in_both_directions),
      BENCH_LENT_TEST(lists_are_filtered_ordered_and_cut),
      BENCH_LENT_TEST(a_run_that_has_ended_is_never_changed),
      BENCH_LENT_TEST(outputs_and_specs_are_append_only),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
