// SPDX-License-Identifier: Apache-2.0
#include "access/test_access.h"
#include "access/tokens.h"

struct made {
  struct api_token token;
  char secret[SECRET_TOKEN_MAX];
};

static bool create(struct bench *b, const struct principal *by, const char *name, enum role role, int64_t expires_in_s,
                   struct made *ret_made) {
  return token_create(b->conn, b->arena, by, str_c(name), role, expires_in_s, BENCH_NOW, &ret_made->token,
                      ret_made->secret, &b->err);
}

static struct principal local_in(struct id tenant) {
  struct principal by = bench_local();
  by.tenant = tenant;
  return by;
}

static void a_token_is_made_for_the_tenant_one_is_in(void **state) {
  struct bench *b = *state;
  struct organization org = bench_org(b, "acme");
  struct principal by = local_in(org.tenant_id);
  struct made made;
  CHECK_OK(b, create(b, &by, "ci", ROLE_EDITOR, 3600, &made));
  assert_memory_equal(made.secret, "olv_", 4);
  assert_int_equal(strlen(made.secret), 4 + 43);
  assert_true(id_eq(made.token.tenant, org.tenant_id));
  CHECK_STR(made.token.name, "ci");
  assert_int_equal(made.token.role, ROLE_EDITOR);
  assert_int_equal(made.token.created_at, BENCH_NOW);
  assert_int_equal(made.token.expires_at, BENCH_NOW + 3600 * BENCH_SECOND);
  assert_int_equal(made.token.revoked_at, 0);
  CHECK_STR(made.token.created_by, "local");
  char expected[128];
  snprintf(expected, sizeof expected, "local token.create token:%s {\"role\":\"editor\"}",
           id_format(made.token.id).text);
  assert_string_equal(bench_newest(b, org.tenant_id).text, expected);
}

static void the_secret_is_stored_as_its_hash_only(void **state) {
  struct bench *b = *state;
  struct organization org = bench_org(b, "acme");
  struct principal by = local_in(org.tenant_id);
  struct made made;
  CHECK_OK(b, create(b, &by, "ci", ROLE_EDITOR, 0, &made));
  struct digest digest = hash_of(str_c(made.secret));
  AUTO(stmt_close) struct stmt *q = stmt_open(b->conn, "SELECT digest FROM tokens", &b->err);
  assert_non_null(q);
  assert_int_equal(stmt_step(q, &b->err), STMT_ROW);
  struct digest stored = stmt_digest(q, 0);
  assert_true(digest_eq(&stored, &digest));
}

static void an_expiry_that_no_time_can_hold_is_refused(void **state) {
  struct bench *b = *state;
  struct organization org = bench_org(b, "acme");
  struct principal by = local_in(org.tenant_id);
  struct made made;
  static const int64_t bad[] = {-1, INT64_MIN, INT64_MAX, (INT64_MAX - BENCH_NOW) / BENCH_SECOND + 1};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    assert_false(create(b, &by, "ci", ROLE_VIEWER, bad[i], &made));
    assert_string_equal(b->err.place, "expires_in_s");
    CHECK_FAILS(b, false, ERR_BAD_REQUEST, "0 is never");
  }
  CHECK_OK(b, create(b, &by, "ci", ROLE_VIEWER, (INT64_MAX - BENCH_NOW) / BENCH_SECOND, &made));
}

static void a_token_has_no_more_power_than_its_maker(void **state) {
  struct bench *b = *state;
  struct organization org = bench_org(b, "acme");
  struct user user = bench_user(b, "admin@example.org", org.tenant_id, ROLE_ADMIN);
  struct principal admin = bench_as(&user, org.tenant_id, ROLE_ADMIN), editor = admin;
  editor.kind = PRINCIPAL_TOKEN;
  editor.role = ROLE_EDITOR;
  struct made made;
  CHECK_OK(b, create(b, &admin, "ci", ROLE_ADMIN, 0, &made));
  CHECK_FAILS(b, create(b, &admin, "ci", ROLE_OWNER, 0, &made), ERR_FORBIDDEN,
              "owner can't be given by the role admin");
  CHECK_FAILS(b, create(b, &editor, "ci", ROLE_VIEWER, 0, &made), ERR_FORBIDDEN, "takes the role admin");
}

struct seen {
  char names[64];
  struct id last;
  int revoked;
};

static void token_take(void *ctx, const struct api_token *token) {
  struct seen *seen = ctx;
  size_t len = strlen(seen->names);
  snprintf(seen->names + len, sizeof seen->names - len, "%.*s ", STR_ARG(token->name));
  seen->last = token->id;
  seen->revoked += token->revoked_at != 0;
}

static void tokens_of_a_tenant_are_listed_in_pages_both_ways(void **state) {
  struct bench *b = *state;
  struct organization org = bench_org(b, "acme"), other = bench_org(b, "other");
  struct principal by = local_in(org.tenant_id), elsewhere = local_in(other.tenant_id);
  static const char *const names[] = {"a", "b", "c"};
  struct made made;
  for (int i = 0; i < 3; i++) {
    CHECK_OK(b, create(b, &by, names[i], ROLE_VIEWER, 0, &made));
    CHECK_OK(b, create(b, &elsewhere, "x", ROLE_VIEWER, 0, &made));
  }
  struct seen seen = {0};
  CHECK_OK(b, token_list(b->conn, org.tenant_id, false, seen.last, 2, token_take, &seen, &b->err));
  assert_string_equal(seen.names, "c b ");
  CHECK_OK(b, token_list(b->conn, org.tenant_id, false, seen.last, 2, token_take, &seen, &b->err));
  assert_string_equal(seen.names, "c b a ");
  seen = (struct seen){0};
  CHECK_OK(b, token_list(b->conn, org.tenant_id, true, seen.last, 2, token_take, &seen, &b->err));
  CHECK_OK(b, token_list(b->conn, org.tenant_id, true, seen.last, 2, token_take, &seen, &b->err));
  assert_string_equal(seen.names, "a b c ");
}

static void revoking_is_idempotent_and_keeps_the_row(void **state) {
  struct bench *b = *state;
  struct organization org = bench_org(b, "acme");
  struct principal by = local_in(org.tenant_id);
  struct made made;
  CHECK_OK(b, create(b, &by, "ci", ROLE_VIEWER, 0, &made));
  bool found = false;
  CHECK_OK(b, token_revoke(b->conn, &by, made.token.id, BENCH_NOW + 1, &found, &b->err));
  assert_true(found);
  char expected[128];
  snprintf(expected, sizeof expected, "local token.revoke token:%s {}", id_format(made.token.id).text);
  assert_string_equal(bench_newest(b, org.tenant_id).text, expected);

  int entries = bench_entries(b, org.tenant_id);
  found = false;
  CHECK_OK(b, token_revoke(b->conn, &by, made.token.id, BENCH_NOW + 2, &found, &b->err));
  assert_true(found);
  assert_int_equal(bench_entries(b, org.tenant_id), entries);

  struct api_token token;
  CHECK_OK(b, token_get(b->conn, b->arena, org.tenant_id, made.token.id, &token, &found, &b->err));
  assert_true(found);
  assert_int_equal(token.revoked_at, BENCH_NOW + 1);
  assert_int_equal(token.expires_at, 0);
  CHECK_STR(token.name, "ci");
  struct seen seen = {0};
  CHECK_OK(b, token_list(b->conn, org.tenant_id, false, seen.last, 10, token_take, &seen, &b->err));
  assert_int_equal(seen.revoked, 1);
}

static void another_tenants_token_is_not_found(void **state) {
  struct bench *b = *state;
  struct organization org = bench_org(b, "acme"), other = bench_org(b, "other");
  struct principal by = local_in(org.tenant_id), elsewhere = local_in(other.tenant_id);
  struct made made;
  CHECK_OK(b, create(b, &by, "ci", ROLE_VIEWER, 0, &made));
  struct api_token token;
  bool found = true;
  CHECK_OK(b, token_revoke(b->conn, &elsewhere, made.token.id, BENCH_NOW, &found, &b->err));
  assert_false(found);
  found = true;
  CHECK_OK(b, token_get(b->conn, b->arena, other.tenant_id, made.token.id, &token, &found, &b->err));
  assert_false(found);
  CHECK_OK(b, token_get(b->conn, b->arena, org.tenant_id, made.token.id, &token, &found, &b->err));
  assert_true(found);
  assert_int_equal(token.revoked_at, 0);
}

static void a_token_above_ones_own_role_is_not_ones_to_revoke(void **state) {
  struct bench *b = *state;
  struct organization org = bench_org(b, "acme");
  struct principal local = local_in(org.tenant_id);
  struct user admin = bench_user(b, "admin@example.org", org.tenant_id, ROLE_ADMIN);
  struct principal by = bench_as(&admin, org.tenant_id, ROLE_ADMIN);
  struct made owners, admins;
  CHECK_OK(b, create(b, &local, "owner's", ROLE_OWNER, 0, &owners));
  CHECK_OK(b, create(b, &local, "admin's", ROLE_ADMIN, 0, &admins));
  bool found;
  CHECK_FAILS(b, token_revoke(b->conn, &by, owners.token.id, BENCH_NOW, &found, &b->err), ERR_FORBIDDEN, "owner");
  CHECK_OK(b, token_revoke(b->conn, &by, admins.token.id, BENCH_NOW, &found, &b->err));
  struct api_token token;
  CHECK_OK(b, token_get(b->conn, b->arena, org.tenant_id, owners.token.id, &token, &found, &b->err));
  assert_int_equal(token.revoked_at, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      BENCH_TEST(a_token_is_made_for_the_tenant_one_is_in),
      BENCH_TEST(the_secret_is_stored_as_its_hash_only),
      BENCH_TEST(an_expiry_that_no_time_can_hold_is_refused),
      BENCH_TEST(a_token_has_no_more_power_than_its_maker),
      BENCH_TEST(tokens_of_a_tenant_are_listed_in_pages_both_ways),
      BENCH_TEST(revoking_is_idempotent_and_keeps_the_row),
      BENCH_TEST(another_tenants_token_is_not_found),
      BENCH_TEST(a_token_above_ones_own_role_is_not_ones_to_revoke),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
