// SPDX-License-Identifier: Apache-2.0
#include "access/principal.h"
#include "access/test_access.h"
#include "access/tokens.h"

#define WELL_FORMED "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"

static bool authenticate(struct bench *b, const char *authorization, int64_t now_ns, struct principal *ret_who) {
  return principal_authenticate(b->conn, str_c(authorization), now_ns, ret_who, &b->err);
}

struct header {
  char text[SECRET_TOKEN_MAX + 16];
};

static struct header bearer_of(const char *token) {
  struct header header;
  snprintf(header.text, sizeof header.text, "Bearer %s", token);
  return header;
}

static struct header login(struct bench *b, struct id user, int64_t now_ns) {
  char token[SECRET_TOKEN_MAX];
  int64_t expires_at;
  CHECK_OK(b, login_record_success(b->conn, user, now_ns, token, &expires_at, &b->err));
  assert_int_equal(expires_at, now_ns + LOGIN_SESSION_S * BENCH_SECOND);
  return bearer_of(token);
}

static struct header token(struct bench *b, struct id tenant, enum role role, int64_t expires_in_s,
                           struct api_token *ret_token) {
  struct principal by = bench_local();
  by.tenant = tenant;
  char secret[SECRET_TOKEN_MAX];
  CHECK_OK(b,
           token_create(b->conn, b->arena, &by, STR("ci"), role, expires_in_s, BENCH_NOW, ret_token, secret, &b->err));
  return bearer_of(secret);
}

static void roles_have_names_that_read_back(void **state) {
  (void)state;
  static const char *const names[] = {"viewer", "editor", "admin", "owner"};
  for (unsigned i = 0; i < 4; i++) {
    enum role role;
    assert_string_equal(role_names[i], names[i]);
    assert_true(role_parse(str_c(names[i]), &role));
    assert_int_equal(role, ROLE_VIEWER + i);
    assert_string_equal(role_name(role), names[i]);
  }
  assert_null(role_names[4]);
  assert_string_equal(role_name(ROLE_NONE), "none");
  enum role role;
  assert_false(role_parse(STR("none"), &role));
  assert_false(role_parse(STR("Owner"), &role));
  assert_false(role_parse(STR_NONE, &role));
}

static void no_credentials_are_missing(void **state) {
  struct bench *b = *state;
  struct principal who;
  CHECK_FAILS(b, principal_authenticate(b->conn, STR_NONE, BENCH_NOW, &who, &b->err), ERR_UNAUTHENTICATED,
              "No credentials were sent");
  CHECK_FAILS(b, authenticate(b, "", BENCH_NOW, &who), ERR_UNAUTHENTICATED, "No credentials were sent");
}

static void what_is_not_a_token_is_malformed(void **state) {
  struct bench *b = *state;
  static const char *const bad[] = {
      "Basic YTpi",
      "Bearer",
      "Bearer ",
      "olv_" WELL_FORMED,
      "Bearer " WELL_FORMED,
      "Bearer olx_" WELL_FORMED,
      "Bearer olv_" WELL_FORMED "A",
      "Bearer olv_short",
      "Bearer olv_AAAA",
      "Bearer olv_" WELL_FORMED " ",
      "Bearer olv_" WELL_FORMED "=",
      "Bearer olv_+AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
  };
  struct principal who;
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    CHECK_FAILS(b, authenticate(b, bad[i], BENCH_NOW, &who), ERR_UNAUTHENTICATED, "check that the token was copied");
}

static void a_well_formed_token_nobody_made_is_unknown(void **state) {
  struct bench *b = *state;
  struct principal who;
  CHECK_FAILS(b, authenticate(b, "Bearer olv_" WELL_FORMED, BENCH_NOW, &who), ERR_UNAUTHENTICATED,
              "This API token is unknown here");
  CHECK_FAILS(b, authenticate(b, "Bearer ols_" WELL_FORMED, BENCH_NOW, &who), ERR_UNAUTHENTICATED,
              "This login session is unknown here");
}

static void a_login_session_is_its_user(void **state) {
  struct bench *b = *state;
  struct organization org = bench_org(b, "acme");
  struct user user = bench_user(b, "ana@example.org", org.tenant_id, ROLE_EDITOR);
  struct header header = login(b, user.id, BENCH_NOW);
  struct principal who;
  CHECK_OK(b, authenticate(b, header.text, BENCH_NOW, &who));
  assert_int_equal(who.kind, PRINCIPAL_USER);
  assert_true(id_eq(who.id, user.id));
  assert_false(who.superadmin);
  assert_true(id_is_zero(who.tenant));
  assert_int_equal(who.role, ROLE_NONE);
  char actor[ACTOR_TEXT_MAX];
  snprintf(actor, sizeof actor, "user:%s", id_format(user.id).text);
  assert_string_equal(who.actor, actor);
}

static void the_scheme_is_read_in_any_case(void **state) {
  struct bench *b = *state;
  struct organization org = bench_org(b, "acme");
  struct user user = bench_user(b, "ana@example.org", org.tenant_id, ROLE_EDITOR);
  struct header header = login(b, user.id, BENCH_NOW);
  memcpy(header.text, "bEARER", 6);
  struct principal who;
  CHECK_OK(b, authenticate(b, header.text, BENCH_NOW, &who));
}

static void a_login_session_expires(void **state) {
  struct bench *b = *state;
  struct organization org = bench_org(b, "acme");
  struct user user = bench_user(b, "ana@example.org", org.tenant_id, ROLE_EDITOR);
  struct header header = login(b, user.id, BENCH_NOW);
  int64_t end = BENCH_NOW + LOGIN_SESSION_S * BENCH_SECOND;
  struct principal who;
  CHECK_OK(b, authenticate(b, header.text, end - 1, &who));
  CHECK_FAILS(b, authenticate(b, header.text, end, &who), ERR_UNAUTHENTICATED,
              "This login session expired at 2026-01-01T12:00:00.000000000Z; log in again.");
}

static void a_logged_out_session_is_ended(void **state) {
  struct bench *b = *state;
  struct organization org = bench_org(b, "acme");
  struct user user = bench_user(b, "ana@example.org", org.tenant_id, ROLE_EDITOR);
  struct header header = login(b, user.id, BENCH_NOW), other = login(b, user.id, BENCH_NOW);
  struct principal who;
  CHECK_OK(b, authenticate(b, header.text, BENCH_NOW, &who));
  CHECK_OK(b, logout(b->conn, str_c(header.text), &who, BENCH_NOW + BENCH_SECOND, &b->err));
  CHECK_FAILS(b, authenticate(b, header.text, BENCH_NOW + BENCH_SECOND, &who), ERR_UNAUTHENTICATED,
              "ended by a logout at 2026-01-01T00:00:01.000000000Z; log in again.");
  CHECK_OK(b, authenticate(b, other.text, BENCH_NOW + BENCH_SECOND, &who));
}

static void an_api_token_is_itself_in_its_tenant(void **state) {
  struct bench *b = *state;
  struct organization org = bench_org(b, "acme");
  struct api_token made;
  struct header header = token(b, org.tenant_id, ROLE_EDITOR, 0, &made);
  struct principal who;
  CHECK_OK(b, authenticate(b, header.text, INT64_MAX, &who));
  assert_int_equal(who.kind, PRINCIPAL_TOKEN);
  assert_true(id_eq(who.id, made.id));
  assert_false(who.superadmin);
  assert_true(id_eq(who.tenant, org.tenant_id));
  assert_int_equal(who.role, ROLE_EDITOR);
  char actor[ACTOR_TEXT_MAX];
  snprintf(actor, sizeof actor, "token:%s", id_format(made.id).text);
  assert_string_equal(who.actor, actor);
}

static void an_api_token_expires_and_is_revoked(void **state) {
  struct bench *b = *state;
  struct organization org = bench_org(b, "acme");
  struct api_token made;
  struct header header = token(b, org.tenant_id, ROLE_EDITOR, 60, &made);
  struct principal who;
  CHECK_OK(b, authenticate(b, header.text, BENCH_NOW + 60 * BENCH_SECOND - 1, &who));
  CHECK_FAILS(b, authenticate(b, header.text, BENCH_NOW + 60 * BENCH_SECOND, &who), ERR_UNAUTHENTICATED,
              "This API token expired at 2026-01-01T00:01:00.000000000Z; make another one");

  struct principal by = bench_local();
  by.tenant = org.tenant_id;
  bool found;
  CHECK_OK(b, token_revoke(b->conn, &by, made.id, BENCH_NOW, &found, &b->err));
  CHECK_FAILS(b, authenticate(b, header.text, BENCH_NOW, &who), ERR_UNAUTHENTICATED,
              "This API token was revoked at 2026-01-01T00:00:00.000000000Z; make another one");
}

static bool enter(struct bench *b, struct principal *who, struct str header) {
  return principal_enter(b->conn, who, header, &b->err);
}

static bool enter_id(struct bench *b, struct principal *who, struct id tenant) {
  struct id_text text = id_format(tenant);
  return enter(b, who, str_c(text.text));
}

static void a_user_enters_the_only_tenant_without_naming_it(void **state) {
  struct bench *b = *state;
  struct organization org = bench_org(b, "acme");
  bench_org(b, "other");
  struct user user = bench_user(b, "ana@example.org", org.tenant_id, ROLE_ADMIN);
  struct principal who = bench_as(&user, (struct id){0}, ROLE_NONE);
  CHECK_OK(b, enter(b, &who, STR_NONE));
  assert_true(id_eq(who.tenant, org.tenant_id));
  assert_int_equal(who.role, ROLE_ADMIN);
}

static void a_user_of_several_tenants_names_one(void **state) {
  struct bench *b = *state;
  struct organization one = bench_org(b, "one"), two = bench_org(b, "two");
  struct user user = bench_user(b, "ana@example.org", one.tenant_id, ROLE_ADMIN);
  struct principal local = bench_local();
  CHECK_OK(b, membership_set(b->conn, &local, user.id, two.tenant_id, ROLE_VIEWER, BENCH_NOW, &b->err));
  struct principal who = bench_as(&user, (struct id){0}, ROLE_NONE);
  CHECK_FAILS(b, enter(b, &who, STR_NONE), ERR_BAD_REQUEST, "X-Olivares-Tenant (on the command line: --tenant)");
  assert_true(id_is_zero(who.tenant));
  CHECK_OK(b, enter_id(b, &who, two.tenant_id));
  assert_true(id_eq(who.tenant, two.tenant_id));
  assert_int_equal(who.role, ROLE_VIEWER);
}

static void a_tenant_that_is_no_id_is_a_bad_request(void **state) {
  struct bench *b = *state;
  struct principal who = bench_local();
  assert_false(enter(b, &who, STR("acme")));
  assert_int_equal(b->err.code, ERR_BAD_REQUEST);
  assert_string_equal(b->err.place, "X-Olivares-Tenant");
  err_clear(&b->err);
  CHECK_FAILS(b, enter(b, &who, STR("")), ERR_BAD_REQUEST, "not an id");
}

static void anothers_tenant_and_none_are_refused_in_the_same_words(void **state) {
  struct bench *b = *state;
  struct organization mine = bench_org(b, "mine"), theirs = bench_org(b, "theirs");
  struct user user = bench_user(b, "ana@example.org", mine.tenant_id, ROLE_OWNER);
  struct api_token made;
  struct header header = token(b, mine.tenant_id, ROLE_OWNER, 0, &made);
  struct principal by_login = bench_as(&user, (struct id){0}, ROLE_NONE), by_token;
  CHECK_OK(b, authenticate(b, header.text, BENCH_NOW, &by_token));
  struct principal *const both[] = {&by_login, &by_token};
  struct id nobodys = id_new(BENCH_NOW);
  for (int i = 0; i < 2; i++) {
    char expected[512];
    snprintf(expected, sizeof expected, "You have no role in a tenant %s, or there is none;",
             id_format(theirs.tenant_id).text);
    CHECK_FAILS(b, enter_id(b, both[i], theirs.tenant_id), ERR_FORBIDDEN, expected);
    snprintf(expected, sizeof expected, "You have no role in a tenant %s, or there is none;", id_format(nobodys).text);
    CHECK_FAILS(b, enter_id(b, both[i], nobodys), ERR_FORBIDDEN, expected);
  }
}

static void a_user_without_membership_enters_nothing(void **state) {
  struct bench *b = *state;
  bench_org(b, "acme");
  struct principal who = {.kind = PRINCIPAL_USER, .id = id_new(BENCH_NOW)};
  CHECK_FAILS(b, enter(b, &who, STR_NONE), ERR_FORBIDDEN, "You have a role in no organization");
}

static void an_api_token_enters_its_own_tenant_only(void **state) {
  struct bench *b = *state;
  struct organization one = bench_org(b, "one");
  bench_org(b, "two");
  struct api_token made;
  struct header header = token(b, one.tenant_id, ROLE_VIEWER, 0, &made);
  struct principal who;
  CHECK_OK(b, authenticate(b, header.text, BENCH_NOW, &who));
  CHECK_OK(b, enter(b, &who, STR_NONE));
  CHECK_OK(b, enter_id(b, &who, one.tenant_id));
  assert_true(id_eq(who.tenant, one.tenant_id));
  assert_int_equal(who.role, ROLE_VIEWER);
}

static void a_superadmin_owns_every_tenant_there_is(void **state) {
  struct bench *b = *state;
  struct user user;
  struct organization org;
  CHECK_OK(b, accounts_setup(b->conn, b->arena, STR("root@example.org"), BENCH_HASH, STR("Acme"), BENCH_NOW, &user,
                             &org, &b->err));
  struct header header = login(b, user.id, BENCH_NOW);
  struct principal who;
  CHECK_OK(b, authenticate(b, header.text, BENCH_NOW, &who));
  assert_true(who.superadmin);
  CHECK_OK(b, enter(b, &who, STR_NONE));
  assert_true(id_eq(who.tenant, org.tenant_id));
  struct organization other = bench_org(b, "other");
  CHECK_FAILS(b, enter(b, &who, STR_NONE), ERR_BAD_REQUEST, "You can enter several tenants");
  CHECK_OK(b, enter_id(b, &who, other.tenant_id));
  assert_int_equal(who.role, ROLE_OWNER);
  CHECK_FAILS(b, enter_id(b, &who, id_new(BENCH_NOW)), ERR_FORBIDDEN, "or there is none");
}

static void the_local_owner_enters_the_first_organization(void **state) {
  struct bench *b = *state;
  struct principal who = bench_local();
  assert_int_equal(who.kind, PRINCIPAL_LOCAL);
  assert_true(who.superadmin);
  assert_string_equal(who.actor, "local");
  CHECK_FAILS(b, enter(b, &who, STR_NONE), ERR_SETUP_REQUIRED, "olivares setup");
  struct organization first = bench_org(b, "first"), second = bench_org(b, "second");
  CHECK_OK(b, enter(b, &who, STR_NONE));
  assert_true(id_eq(who.tenant, first.tenant_id));
  assert_int_equal(who.role, ROLE_OWNER);
  CHECK_OK(b, enter_id(b, &who, second.tenant_id));
  assert_true(id_eq(who.tenant, second.tenant_id));
}

static void a_role_includes_those_before_it(void **state) {
  struct bench *b = *state;
  for (enum role held = ROLE_NONE; held <= ROLE_OWNER; held++)
    for (enum role needed = ROLE_VIEWER; needed <= ROLE_OWNER; needed++) {
      struct principal who = {.kind = PRINCIPAL_USER, .role = held};
      char words[64];
      snprintf(words, sizeof words, "takes the role %s in this tenant; yours is %s", role_name(needed),
               role_name(held));
      if (held >= needed)
        CHECK_OK(b, principal_require(&who, needed, &b->err));
      else
        CHECK_FAILS(b, principal_require(&who, needed, &b->err), ERR_FORBIDDEN, words);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(roles_have_names_that_read_back),
      BENCH_TEST(no_credentials_are_missing),
      BENCH_TEST(what_is_not_a_token_is_malformed),
      BENCH_TEST(a_well_formed_token_nobody_made_is_unknown),
      BENCH_TEST(a_login_session_is_its_user),
      BENCH_TEST(the_scheme_is_read_in_any_case),
      BENCH_TEST(a_login_session_expires),
      BENCH_TEST(a_logged_out_session_is_ended),
      BENCH_TEST(an_api_token_is_itself_in_its_tenant),
      BENCH_TEST(an_api_token_expires_and_is_revoked),
      BENCH_TEST(a_user_enters_the_only_tenant_without_naming_it),
      BENCH_TEST(a_user_of_several_tenants_names_one),
      BENCH_TEST(a_tenant_that_is_no_id_is_a_bad_request),
      BENCH_TEST(anothers_tenant_and_none_are_refused_in_the_same_words),
      BENCH_TEST(a_user_without_membership_enters_nothing),
      BENCH_TEST(an_api_token_enters_its_own_tenant_only),
      BENCH_TEST(a_superadmin_owns_every_tenant_there_is),
      BENCH_TEST(the_local_owner_enters_the_first_organization),
      BENCH_TEST(a_role_includes_those_before_it),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
