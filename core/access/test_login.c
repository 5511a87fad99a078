// SPDX-License-Identifier: Apache-2.0
#include "access/accounts.h"
#include "access/test_access.h"

#define EMAIL "ana@example.org"

static bool look_up(struct bench *b, const char *email, int64_t now_ns, struct login_lookup *ret_lookup) {
  return login_look_up(b->conn, str_c(email), now_ns, ret_lookup, &b->err);
}

static void fail_times(struct bench *b, const char *email, int times, int64_t now_ns) {
  for (int i = 0; i < times; i++) CHECK_OK(b, login_record_failure(b->conn, str_c(email), now_ns, &b->err));
}

static bool succeed(struct bench *b, struct id user, int64_t now_ns) {
  char token[SECRET_TOKEN_MAX];
  int64_t expires_at;
  return login_record_success(b->conn, user, now_ns, token, &expires_at, &b->err);
}

static int64_t seconds(int64_t after) {
  return BENCH_NOW + after * BENCH_SECOND;
}

static int count(struct bench *b, const char *sql) {
  AUTO(stmt_close) struct stmt *q = stmt_open(b->conn, sql, &b->err);
  assert_non_null(q);
  assert_int_equal(stmt_step(q, &b->err), STMT_ROW);
  return (int)stmt_int(q, 0);
}

static void a_known_email_gives_its_users_hash_in_any_case(void **state) {
  struct bench *b = *state;
  struct organization org = bench_org(b, "acme");
  struct user user = bench_user(b, EMAIL, org.tenant_id, ROLE_VIEWER);
  struct login_lookup lookup;
  CHECK_OK(b, look_up(b, "ANA@Example.Org", BENCH_NOW, &lookup));
  assert_true(lookup.known);
  assert_true(id_eq(lookup.user, user.id));
  assert_string_equal(lookup.password_hash, BENCH_HASH);
}

static void an_unknown_email_costs_the_same_and_matches_nothing(void **state) {
  struct bench *b = *state;
  struct login_lookup lookup;
  CHECK_OK(b, look_up(b, EMAIL, BENCH_NOW, &lookup));
  assert_false(lookup.known);
  assert_true(id_is_zero(lookup.user));

  char real[SECRET_PASSWORD_HASH_MAX];
  CHECK_OK(b, secret_password_hash(STR("correct horse"), real, &b->err));
  size_t parameters = 0;
  for (int dollars = 0; dollars < 4; parameters++) dollars += real[parameters] == '$';
  assert_true(parameters > 20);
  assert_memory_equal(lookup.password_hash, real, parameters);
  assert_int_equal(strlen(lookup.password_hash), strlen(real));
  assert_false(secret_password_matches(lookup.password_hash, STR("")));
}

static void what_is_no_email_is_a_bad_request(void **state) {
  struct bench *b = *state;
  struct login_lookup lookup;
  CHECK_FAILS(b, look_up(b, "ana", BENCH_NOW, &lookup), ERR_BAD_REQUEST, "The e-mail");
  CHECK_FAILS(b, login_record_failure(b->conn, STR("ana"), BENCH_NOW, &b->err), ERR_BAD_REQUEST, "The e-mail");
}

static void the_fifth_failure_locks_the_email(void **state) {
  struct bench *b = *state;
  struct organization org = bench_org(b, "acme");
  struct user user = bench_user(b, EMAIL, org.tenant_id, ROLE_VIEWER);
  struct login_lookup lookup;
  fail_times(b, EMAIL, LOGIN_MAX_FAILURES - 1, BENCH_NOW);
  CHECK_OK(b, look_up(b, EMAIL, BENCH_NOW, &lookup));
  fail_times(b, "ANA@EXAMPLE.ORG", 1, seconds(10));
  assert_false(look_up(b, EMAIL, seconds(10), &lookup));
  assert_int_equal(b->err.retry_after_s, LOGIN_LOCK_S);
  CHECK_FAILS(b, look_up(b, "Ana@example.org", seconds(10), &lookup), ERR_RATE_LIMITED, "try again in 900 s");
  CHECK_FAILS(b, look_up(b, EMAIL, seconds(10 + LOGIN_LOCK_S) - 1, &lookup), ERR_RATE_LIMITED, "try again in 1 s");
  CHECK_OK(b, look_up(b, EMAIL, seconds(10 + LOGIN_LOCK_S), &lookup));

  char expected[128];
  snprintf(expected, sizeof expected, "engine session.lock user:%s {}", id_format(user.id).text);
  assert_string_equal(bench_newest(b, org.tenant_id).text, expected);
}

static void an_unknown_email_is_locked_too(void **state) {
  struct bench *b = *state;
  struct organization org = bench_org(b, "acme");
  int entries = bench_entries(b, org.tenant_id);
  struct login_lookup lookup;
  fail_times(b, EMAIL, LOGIN_MAX_FAILURES, BENCH_NOW);
  CHECK_FAILS(b, look_up(b, EMAIL, BENCH_NOW, &lookup), ERR_RATE_LIMITED, "Too many failed logins");
  CHECK_OK(b, look_up(b, "other@example.org", BENCH_NOW, &lookup));
  assert_int_equal(bench_entries(b, org.tenant_id), entries);
}

static void a_lock_survives_a_restart(void **state) {
  struct bench *b = *state;
  struct login_lookup lookup;
  fail_times(b, EMAIL, LOGIN_MAX_FAILURES, BENCH_NOW);
  bench_restart(b);
  CHECK_FAILS(b, look_up(b, EMAIL, seconds(1), &lookup), ERR_RATE_LIMITED, "try again in 899 s");
}

static void failures_far_apart_lock_nothing(void **state) {
  struct bench *b = *state;
  struct login_lookup lookup;
  for (int i = 0; i < 20; i++) {
    fail_times(b, EMAIL, 1, seconds(i * LOGIN_LOCK_S / 4));
    CHECK_OK(b, look_up(b, EMAIL, seconds(i * LOGIN_LOCK_S / 4), &lookup));
  }
  fail_times(b, EMAIL, 1, seconds(19 * LOGIN_LOCK_S / 4 + 1));
  CHECK_FAILS(b, look_up(b, EMAIL, seconds(19 * LOGIN_LOCK_S / 4 + 1), &lookup), ERR_RATE_LIMITED, "900 s");
}

static void failures_during_a_lock_do_not_make_it_longer(void **state) {
  struct bench *b = *state;
  struct organization org = bench_org(b, "acme");
  bench_user(b, EMAIL, org.tenant_id, ROLE_VIEWER);
  struct login_lookup lookup;
  fail_times(b, EMAIL, LOGIN_MAX_FAILURES, BENCH_NOW);
  int entries = bench_entries(b, org.tenant_id);
  fail_times(b, EMAIL, LOGIN_MAX_FAILURES, seconds(LOGIN_LOCK_S) - 1);
  CHECK_OK(b, look_up(b, EMAIL, seconds(LOGIN_LOCK_S), &lookup));
  assert_int_equal(bench_entries(b, org.tenant_id), entries);
}

static void failures_of_others_do_not_make_a_lock_shorter(void **state) {
  struct bench *b = *state;
  struct login_lookup lookup;
  fail_times(b, EMAIL, LOGIN_MAX_FAILURES - 1, BENCH_NOW);
  fail_times(b, EMAIL, 1, seconds(LOGIN_LOCK_S - 1));
  fail_times(b, "other@example.org", 1, seconds(2 * LOGIN_LOCK_S - 2));
  CHECK_FAILS(b, look_up(b, EMAIL, seconds(2 * LOGIN_LOCK_S - 2), &lookup), ERR_RATE_LIMITED, "try again in 1 s");
}

static void a_lock_that_ended_takes_five_more_failures_to_come_back(void **state) {
  struct bench *b = *state;
  struct login_lookup lookup;
  fail_times(b, EMAIL, LOGIN_MAX_FAILURES, BENCH_NOW);
  fail_times(b, EMAIL, LOGIN_MAX_FAILURES - 1, seconds(LOGIN_LOCK_S));
  CHECK_OK(b, look_up(b, EMAIL, seconds(LOGIN_LOCK_S), &lookup));
  fail_times(b, EMAIL, 1, seconds(LOGIN_LOCK_S));
  CHECK_FAILS(b, look_up(b, EMAIL, seconds(LOGIN_LOCK_S), &lookup), ERR_RATE_LIMITED, "900 s");
}

static void success_clears_failures_and_is_in_the_ledger(void **state) {
  struct bench *b = *state;
  struct organization org = bench_org(b, "acme");
  struct user user = bench_user(b, EMAIL, org.tenant_id, ROLE_VIEWER);
  struct login_lookup lookup;
  fail_times(b, EMAIL, LOGIN_MAX_FAILURES - 1, BENCH_NOW);
  CHECK_OK(b, succeed(b, user.id, BENCH_NOW));
  struct id_text id = id_format(user.id);
  char expected[128];
  snprintf(expected, sizeof expected, "user:%s session.login user:%s {}", id.text, id.text);
  assert_string_equal(bench_newest(b, org.tenant_id).text, expected);
  fail_times(b, EMAIL, LOGIN_MAX_FAILURES - 1, BENCH_NOW);
  CHECK_OK(b, look_up(b, EMAIL, BENCH_NOW, &lookup));
}

static void a_guess_made_at_once_with_those_that_locked_is_refused(void **state) {
  struct bench *b = *state;
  struct organization org = bench_org(b, "acme");
  struct user user = bench_user(b, EMAIL, org.tenant_id, ROLE_VIEWER);
  struct login_lookup lookup;
  CHECK_OK(b, look_up(b, EMAIL, BENCH_NOW, &lookup));
  fail_times(b, EMAIL, LOGIN_MAX_FAILURES, BENCH_NOW);
  CHECK_FAILS(b, succeed(b, user.id, BENCH_NOW), ERR_RATE_LIMITED, "Too many failed logins");
  CHECK_OK(b, succeed(b, user.id, seconds(LOGIN_LOCK_S)));
}

static void sessions_have_tokens_of_their_own_stored_as_hashes(void **state) {
  struct bench *b = *state;
  struct organization org = bench_org(b, "acme");
  struct user user = bench_user(b, EMAIL, org.tenant_id, ROLE_VIEWER);
  char one[SECRET_TOKEN_MAX], two[SECRET_TOKEN_MAX];
  int64_t expires_at;
  CHECK_OK(b, login_record_success(b->conn, user.id, BENCH_NOW, one, &expires_at, &b->err));
  CHECK_OK(b, login_record_success(b->conn, user.id, BENCH_NOW, two, &expires_at, &b->err));
  assert_memory_equal(one, "ols_", 4);
  assert_int_equal(strlen(one), 4 + 43);
  assert_string_not_equal(one, two);
  assert_int_equal(expires_at, seconds(LOGIN_SESSION_S));
  struct digest digest = hash_of(str_c(one));
  AUTO(stmt_close)
  struct stmt *q = stmt_open(b->conn, "SELECT count(*) FROM login_sessions WHERE digest = ?1", &b->err);
  assert_non_null(q);
  stmt_bind_digest(q, 1, &digest);
  assert_int_equal(stmt_step(q, &b->err), STMT_ROW);
  assert_int_equal(stmt_int(q, 0), 1);
}

static void what_is_of_no_use_any_more_is_forgotten(void **state) {
  struct bench *b = *state;
  struct organization org = bench_org(b, "acme");
  struct user user = bench_user(b, EMAIL, org.tenant_id, ROLE_VIEWER);
  CHECK_OK(b, succeed(b, user.id, BENCH_NOW));
  CHECK_OK(b, succeed(b, user.id, seconds(2 * LOGIN_SESSION_S) - 1));
  assert_int_equal(count(b, "SELECT count(*) FROM login_sessions"), 2);
  CHECK_OK(b, succeed(b, user.id, seconds(2 * LOGIN_SESSION_S)));
  assert_int_equal(count(b, "SELECT count(*) FROM login_sessions"), 2);

  fail_times(b, "x@example.org", 3, BENCH_NOW);
  fail_times(b, "y@example.org", 1, seconds(2 * LOGIN_LOCK_S));
  assert_int_equal(count(b, "SELECT count(*) FROM login_failures"), 1);
}

static void only_a_login_session_is_logged_out(void **state) {
  struct bench *b = *state;
  struct organization org = bench_org(b, "acme");
  struct user user = bench_user(b, EMAIL, org.tenant_id, ROLE_VIEWER);
  char token[SECRET_TOKEN_MAX], header[SECRET_TOKEN_MAX + 8];
  int64_t expires_at;
  CHECK_OK(b, login_record_success(b->conn, user.id, BENCH_NOW, token, &expires_at, &b->err));
  snprintf(header, sizeof header, "Bearer %s", token);
  struct principal local = bench_local(), who = bench_as(&user, (struct id){0}, ROLE_NONE);
  struct principal api = {.kind = PRINCIPAL_TOKEN, .tenant = org.tenant_id, .actor = "token:x"};
  CHECK_FAILS(b, logout(b->conn, STR_NONE, &local, BENCH_NOW, &b->err), ERR_BAD_REQUEST, "Only a login session");
  CHECK_FAILS(b, logout(b->conn, str_c(header), &api, BENCH_NOW, &b->err), ERR_BAD_REQUEST, "DELETE /v1/tokens");

  CHECK_OK(b, logout(b->conn, str_c(header), &who, BENCH_NOW, &b->err));
  struct id_text id = id_format(user.id);
  char expected[128];
  snprintf(expected, sizeof expected, "user:%s session.logout user:%s {}", id.text, id.text);
  assert_string_equal(bench_newest(b, org.tenant_id).text, expected);
  int entries = bench_entries(b, org.tenant_id);
  CHECK_OK(b, logout(b->conn, str_c(header), &who, BENCH_NOW, &b->err));
  assert_int_equal(bench_entries(b, org.tenant_id), entries);
}

static void a_user_of_two_tenants_logs_in_to_the_ledger_of_the_first(void **state) {
  struct bench *b = *state;
  struct organization second = bench_org(b, "second"), first = bench_org(b, "first");
  struct user user = bench_user(b, EMAIL, first.tenant_id, ROLE_VIEWER);
  struct principal local = bench_local();
  CHECK_OK(b, membership_set(b->conn, &local, user.id, second.tenant_id, ROLE_OWNER, seconds(1), &b->err));
  int entries = bench_entries(b, second.tenant_id);
  CHECK_OK(b, succeed(b, user.id, seconds(2)));
  assert_non_null(strstr(bench_newest(b, first.tenant_id).text, "session.login"));
  assert_int_equal(bench_entries(b, second.tenant_id), entries);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      BENCH_TEST(a_known_email_gives_its_users_hash_in_any_case),
      BENCH_TEST(an_unknown_email_costs_the_same_and_matches_nothing),
      BENCH_TEST(what_is_no_email_is_a_bad_request),
      BENCH_TEST(the_fifth_failure_locks_the_email),
      BENCH_TEST(an_unknown_email_is_locked_too),
      BENCH_TEST(a_lock_survives_a_restart),
      BENCH_TEST(failures_far_apart_lock_nothing),
      BENCH_TEST(failures_during_a_lock_do_not_make_it_longer),
      BENCH_TEST(failures_of_others_do_not_make_a_lock_shorter),
      BENCH_TEST(a_lock_that_ended_takes_five_more_failures_to_come_back),
      BENCH_TEST(success_clears_failures_and_is_in_the_ledger),
      BENCH_TEST(a_guess_made_at_once_with_those_that_locked_is_refused),
      BENCH_TEST(sessions_have_tokens_of_their_own_stored_as_hashes),
      BENCH_TEST(what_is_of_no_use_any_more_is_forgotten),
      BENCH_TEST(only_a_login_session_is_logged_out),
      BENCH_TEST(a_user_of_two_tenants_logs_in_to_the_ledger_of_the_first),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
