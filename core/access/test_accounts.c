// SPDX-License-Identifier: Apache-2.0
#include "access/accounts.h"
#include "access/test_access.h"

__attribute__((format(printf, 3, 4))) static void newest_is(struct bench *b, struct id tenant, const char *fmt, ...) {
  char expected[512];
  va_list args;
  va_start(args, fmt);
  vsnprintf(expected, sizeof expected, fmt, args);
  va_end(args);
  assert_string_equal(bench_newest(b, tenant).text, expected);
}

static bool set_up(struct bench *b, struct str organization, struct user *ret_user, struct organization *ret_org) {
  return accounts_setup(b->conn, b->arena, STR("Root@Example.org"), BENCH_HASH, organization, BENCH_NOW, ret_user,
                        ret_org, &b->err);
}

static void setup_is_required_until_there_is_a_user(void **state) {
  struct bench *b = *state;
  bool required = false;
  CHECK_OK(b, accounts_setup_required(b->conn, &required, &b->err));
  assert_true(required);
  bench_org(b, "acme");
  CHECK_OK(b, accounts_setup_required(b->conn, &required, &b->err));
  assert_true(required);
  struct user user;
  struct organization org;
  CHECK_OK(b, set_up(b, STR_NONE, &user, &org));
  CHECK_OK(b, accounts_setup_required(b->conn, &required, &b->err));
  assert_false(required);
  CHECK_FAILS(b, set_up(b, STR_NONE, &user, &org), ERR_SETUP_COMPLETE, "set up already");
}

static void setup_makes_the_first_owner_and_organization(void **state) {
  struct bench *b = *state;
  struct user user;
  struct organization org;
  CHECK_OK(b, set_up(b, STR("Acme, Inc."), &user, &org));
  CHECK_STR(user.email, "root@example.org");
  assert_true(user.superadmin);
  assert_int_equal(user.created_at, BENCH_NOW);
  CHECK_STR(org.name, "Acme, Inc.");
  CHECK_STR(org.slug, "acme-inc");
  assert_false(id_eq(org.id, org.tenant_id));
  newest_is(b, org.tenant_id, "user:%s setup organization:%s {\"slug\":\"acme-inc\"}", id_format(user.id).text,
            id_format(org.id).text);
  assert_int_equal(bench_entries(b, org.tenant_id), 2);
  struct principal plain = bench_as(&user, (struct id){0}, ROLE_NONE);
  plain.superadmin = false;
  CHECK_OK(b, principal_enter(b->conn, &plain, STR_NONE, &b->err));
  assert_int_equal(plain.role, ROLE_OWNER);
}

static void setup_without_a_name_calls_it_default(void **state) {
  struct bench *b = *state;
  struct user user;
  struct organization org;
  CHECK_OK(b, set_up(b, STR(""), &user, &org));
  CHECK_STR(org.name, "default");
  CHECK_STR(org.slug, "default");
}

static void setup_refuses_what_is_no_email(void **state) {
  struct bench *b = *state;
  struct user user;
  struct organization org;
  CHECK_FAILS(b, accounts_setup(b->conn, b->arena, STR("root"), BENCH_HASH, STR_NONE, BENCH_NOW, &user, &org, &b->err),
              ERR_BAD_REQUEST, "name@example.org");
}

static void the_local_organization_is_made_once(void **state) {
  struct bench *b = *state;
  struct organization first, again;
  CHECK_OK(b, accounts_local_organization(b->conn, b->arena, BENCH_NOW, &first, &b->err));
  CHECK_STR(first.name, "local");
  CHECK_STR(first.slug, "local");
  newest_is(b, first.tenant_id, "local organization.create organization:%s {\"slug\":\"local\"}",
            id_format(first.id).text);
  CHECK_OK(b, accounts_local_organization(b->conn, b->arena, BENCH_NOW + 1, &again, &b->err));
  assert_true(id_eq(first.id, again.id));
  assert_int_equal(again.created_at, BENCH_NOW);
  assert_int_equal(bench_entries(b, first.tenant_id), 1);
}

static void setup_takes_over_the_local_organization(void **state) {
  struct bench *b = *state;
  struct organization local, org;
  struct user user;
  CHECK_OK(b, accounts_local_organization(b->conn, b->arena, BENCH_NOW, &local, &b->err));
  bench_org(b, "acme");
  CHECK_OK(b, set_up(b, STR("Globex"), &user, &org));
  assert_true(id_eq(org.id, local.id));
  assert_true(id_eq(org.tenant_id, local.tenant_id));
  CHECK_STR(org.name, "Globex");
  CHECK_STR(org.slug, "globex");
  assert_int_equal(bench_entries(b, org.tenant_id), 2);
}

static void setup_leaves_the_slug_another_organization_has(void **state) {
  struct bench *b = *state;
  struct organization local, org;
  struct user user;
  CHECK_OK(b, accounts_local_organization(b->conn, b->arena, BENCH_NOW, &local, &b->err));
  bench_org(b, "acme");
  CHECK_OK(b, set_up(b, STR("Acme"), &user, &org));
  CHECK_STR(org.name, "Acme");
  CHECK_STR(org.slug, "local");
}

static bool create_org(struct bench *b, const struct principal *by, const char *slug, struct organization *ret_org) {
  return organization_create(b->conn, b->arena, by, STR("Some name"), str_c(slug), BENCH_NOW, ret_org, &b->err);
}

static void a_superadmin_makes_organizations(void **state) {
  struct bench *b = *state;
  struct principal local = bench_local();
  struct organization org;
  CHECK_OK(b, create_org(b, &local, "acme", &org));
  CHECK_STR(org.name, "Some name");
  newest_is(b, org.tenant_id, "local organization.create organization:%s {\"slug\":\"acme\"}", id_format(org.id).text);
  CHECK_FAILS(b, create_org(b, &local, "acme", &org), ERR_CONFLICT, "'acme' is taken");
  CHECK_FAILS(b, create_org(b, &local, "Acme", &org), ERR_BAD_REQUEST, "a-z, 0-9");
  struct principal owner = {.kind = PRINCIPAL_USER, .tenant = org.tenant_id, .role = ROLE_OWNER, .actor = "user:x"};
  CHECK_FAILS(b, create_org(b, &owner, "other", &org), ERR_FORBIDDEN, "Only a superadmin");
}

struct seen {
  char slugs[256];
  struct id last;
};

static void slug_take(void *ctx, const struct organization *org) {
  struct seen *seen = ctx;
  size_t len = strlen(seen->slugs);
  snprintf(seen->slugs + len, sizeof seen->slugs - len, "%.*s ", STR_ARG(org->slug));
  seen->last = org->id;
}

static void organizations_are_listed_in_pages_both_ways(void **state) {
  struct bench *b = *state;
  static const char *const slugs[] = {"a", "b", "c", "d", "e"};
  for (int i = 0; i < 5; i++) bench_org(b, slugs[i]);
  struct seen seen = {0};
  CHECK_OK(b, organization_list(b->conn, false, seen.last, 2, slug_take, &seen, &b->err));
  assert_string_equal(seen.slugs, "e d ");
  CHECK_OK(b, organization_list(b->conn, false, seen.last, 2, slug_take, &seen, &b->err));
  CHECK_OK(b, organization_list(b->conn, false, seen.last, 2, slug_take, &seen, &b->err));
  assert_string_equal(seen.slugs, "e d c b a ");
  seen = (struct seen){0};
  CHECK_OK(b, organization_list(b->conn, true, seen.last, 3, slug_take, &seen, &b->err));
  assert_string_equal(seen.slugs, "a b c ");
  CHECK_OK(b, organization_list(b->conn, true, seen.last, 3, slug_take, &seen, &b->err));
  assert_string_equal(seen.slugs, "a b c d e ");
}

static bool create_user(struct bench *b, const struct principal *by, const char *email, struct id tenant,
                        enum role role, struct user *ret_user) {
  return user_create(b->conn, b->arena, by, str_c(email), BENCH_HASH, STR("Some One"), tenant, role, BENCH_NOW,
                     ret_user, &b->err);
}

static void a_user_is_stored_with_a_lower_case_email(void **state) {
  struct bench *b = *state;
  struct organization org = bench_org(b, "acme");
  struct principal local = bench_local();
  struct user made, user;
  CHECK_OK(b, create_user(b, &local, "Ana@Example.ORG", org.tenant_id, ROLE_EDITOR, &made));
  bool found = false;
  CHECK_OK(b, user_get(b->conn, b->arena, made.id, &user, &found, &b->err));
  assert_true(found);
  CHECK_STR(user.email, "ana@example.org");
  CHECK_STR(user.display_name, "Some One");
  assert_false(user.superadmin);
  assert_int_equal(user.created_at, BENCH_NOW);
  newest_is(b, org.tenant_id, "local user.create user:%s {\"role\":\"editor\"}", id_format(made.id).text);
  CHECK_FAILS(b, create_user(b, &local, "ANA@example.org", org.tenant_id, ROLE_EDITOR, &user), ERR_CONFLICT,
              "ana@example.org has an account already");
  CHECK_FAILS(b, create_user(b, &local, "ana", org.tenant_id, ROLE_EDITOR, &user), ERR_BAD_REQUEST, "The e-mail");
}

static void reading_nobody_finds_nobody(void **state) {
  struct bench *b = *state;
  struct user user;
  bool found = true;
  CHECK_OK(b, user_get(b->conn, b->arena, id_new(BENCH_NOW), &user, &found, &b->err));
  assert_false(found);
}

static void nobody_gives_more_than_they_hold(void **state) {
  struct bench *b = *state;
  struct organization org = bench_org(b, "acme"), other = bench_org(b, "other");
  struct user maker = bench_user(b, "maker@example.org", org.tenant_id, ROLE_OWNER), user;
  struct principal local = bench_local();
  bench_user(b, "second-owner@example.org", org.tenant_id, ROLE_OWNER);
  for (enum role held = ROLE_VIEWER; held <= ROLE_OWNER; held++) {
    CHECK_OK(b, membership_set(b->conn, &local, maker.id, org.tenant_id, held, BENCH_NOW, &b->err));
    struct principal by = bench_as(&maker, org.tenant_id, held);
    for (enum role given = ROLE_VIEWER; given <= ROLE_OWNER; given++) {
      char email[64];
      snprintf(email, sizeof email, "%d-%d@example.org", (int)held, (int)given);
      if (held >= ROLE_ADMIN && given <= held)
        CHECK_OK(b, create_user(b, &by, email, org.tenant_id, given, &user));
      else if (held >= ROLE_ADMIN)
        CHECK_FAILS(b, create_user(b, &by, email, org.tenant_id, given, &user), ERR_FORBIDDEN,
                    "owner can't be given by the role admin");
      else
        CHECK_FAILS(b, create_user(b, &by, email, org.tenant_id, given, &user), ERR_FORBIDDEN, "takes the role admin");
    }
  }
  struct principal owner = bench_as(&maker, org.tenant_id, ROLE_OWNER);
  CHECK_FAILS(b, create_user(b, &owner, "x@example.org", other.tenant_id, ROLE_VIEWER, &user), ERR_FORBIDDEN,
              "You have no role in a tenant");
}

static void a_role_lost_since_the_request_began_gives_nothing(void **state) {
  struct bench *b = *state;
  struct organization org = bench_org(b, "acme");
  struct user viewer = bench_user(b, "viewer@example.org", org.tenant_id, ROLE_VIEWER), user;
  struct principal stale = bench_as(&viewer, org.tenant_id, ROLE_OWNER);
  CHECK_FAILS(b, create_user(b, &stale, "x@example.org", org.tenant_id, ROLE_VIEWER, &user), ERR_FORBIDDEN,
              "takes the role admin; yours is viewer");
}

static bool set(struct bench *b, const struct principal *by, struct id user, struct id tenant, enum role role) {
  return membership_set(b->conn, by, user, tenant, role, BENCH_NOW, &b->err);
}

static void a_membership_is_given_and_changed(void **state) {
  struct bench *b = *state;
  struct organization one = bench_org(b, "one"), two = bench_org(b, "two");
  struct user user = bench_user(b, "ana@example.org", one.tenant_id, ROLE_VIEWER);
  struct principal local = bench_local();
  CHECK_OK(b, set(b, &local, user.id, two.tenant_id, ROLE_EDITOR));
  newest_is(b, two.tenant_id, "local membership.set user:%s {\"role\":\"editor\"}", id_format(user.id).text);
  int entries = bench_entries(b, two.tenant_id);
  CHECK_OK(b, set(b, &local, user.id, two.tenant_id, ROLE_EDITOR));
  assert_int_equal(bench_entries(b, two.tenant_id), entries);
  CHECK_OK(b, set(b, &local, user.id, two.tenant_id, ROLE_VIEWER));
  newest_is(b, two.tenant_id, "local membership.set user:%s {\"role\":\"viewer\"}", id_format(user.id).text);
  CHECK_FAILS(b, set(b, &local, id_new(BENCH_NOW), two.tenant_id, ROLE_VIEWER), ERR_NOT_FOUND, "There is no user");
  CHECK_FAILS(b, set(b, &local, user.id, id_new(BENCH_NOW), ROLE_VIEWER), ERR_FORBIDDEN, "or there is none");
}

static void a_user_whom_an_admin_has_nothing_to_do_with_is_absent(void **state) {
  struct bench *b = *state;
  struct organization one = bench_org(b, "one"), two = bench_org(b, "two");
  struct user theirs = bench_user(b, "theirs@example.org", one.tenant_id, ROLE_VIEWER);
  struct user admin = bench_user(b, "admin@example.org", two.tenant_id, ROLE_ADMIN);
  struct principal by = bench_as(&admin, two.tenant_id, ROLE_ADMIN), local = bench_local();
  struct principal token = {.kind = PRINCIPAL_TOKEN,
                            .id = id_new(BENCH_NOW),
                            .tenant = two.tenant_id,
                            .role = ROLE_ADMIN,
                            .actor = "token:t"};

  char message[128];
  snprintf(message, sizeof message, "There is no user %s.", id_format(theirs.id).text);
  CHECK_FAILS(b, set(b, &by, theirs.id, two.tenant_id, ROLE_VIEWER), ERR_NOT_FOUND, message);
  CHECK_FAILS(b, set(b, &token, theirs.id, two.tenant_id, ROLE_VIEWER), ERR_NOT_FOUND, message);

  // An admin there too, or of a tenant they have joined, knows them.
  CHECK_OK(b, set(b, &local, admin.id, one.tenant_id, ROLE_EDITOR));
  CHECK_FAILS(b, set(b, &by, theirs.id, two.tenant_id, ROLE_VIEWER), ERR_NOT_FOUND, message);
  CHECK_OK(b, set(b, &local, admin.id, one.tenant_id, ROLE_ADMIN));
  CHECK_OK(b, set(b, &by, theirs.id, two.tenant_id, ROLE_VIEWER));
  CHECK_OK(b, set(b, &token, theirs.id, two.tenant_id, ROLE_EDITOR));
}

static void the_last_owner_stays_one(void **state) {
  struct bench *b = *state;
  struct organization org = bench_org(b, "acme");
  struct user owner = bench_user(b, "owner@example.org", org.tenant_id, ROLE_OWNER);
  struct user admin = bench_user(b, "admin@example.org", org.tenant_id, ROLE_ADMIN);
  struct principal local = bench_local(), self = bench_as(&owner, org.tenant_id, ROLE_OWNER);
  CHECK_FAILS(b, set(b, &self, owner.id, org.tenant_id, ROLE_ADMIN), ERR_CONFLICT, "the last owner");
  CHECK_FAILS(b, set(b, &local, owner.id, org.tenant_id, ROLE_VIEWER), ERR_CONFLICT, "the last owner");
  CHECK_OK(b, set(b, &self, admin.id, org.tenant_id, ROLE_OWNER));
  CHECK_OK(b, set(b, &self, owner.id, org.tenant_id, ROLE_ADMIN));
}

static void an_admin_neither_makes_nor_lessens_owners(void **state) {
  struct bench *b = *state;
  struct organization org = bench_org(b, "acme");
  struct user owner = bench_user(b, "owner@example.org", org.tenant_id, ROLE_OWNER);
  bench_user(b, "second@example.org", org.tenant_id, ROLE_OWNER);
  struct user admin = bench_user(b, "admin@example.org", org.tenant_id, ROLE_ADMIN);
  struct principal by = bench_as(&admin, org.tenant_id, ROLE_ADMIN);
  CHECK_FAILS(b, set(b, &by, admin.id, org.tenant_id, ROLE_OWNER), ERR_FORBIDDEN, "owner can't be given");
  CHECK_FAILS(b, set(b, &by, owner.id, org.tenant_id, ROLE_VIEWER), ERR_FORBIDDEN, "owner can't be given");
  CHECK_OK(b, set(b, &by, admin.id, org.tenant_id, ROLE_EDITOR));
}

struct listed {
  char text[256];
};

static void membership_take(void *ctx, const struct organization *org, enum role role) {
  struct listed *listed = ctx;
  size_t len = strlen(listed->text);
  snprintf(listed->text + len, sizeof listed->text - len, "%.*s:%s ", STR_ARG(org->slug), role_name(role));
}

static void memberships_is(struct bench *b, const struct principal *who, const char *expected) {
  struct listed listed = {{0}};
  CHECK_OK(b, membership_list(b->conn, who, membership_take, &listed, &b->err));
  assert_string_equal(listed.text, expected);
}

static void memberships_are_what_a_principal_can_enter(void **state) {
  struct bench *b = *state;
  struct organization one = bench_org(b, "one");
  bench_org(b, "two");
  struct organization three = bench_org(b, "three");
  struct user user = bench_user(b, "ana@example.org", three.tenant_id, ROLE_VIEWER);
  struct principal local = bench_local(), ana = bench_as(&user, (struct id){0}, ROLE_NONE);
  CHECK_OK(b, set(b, &local, user.id, one.tenant_id, ROLE_ADMIN));
  memberships_is(b, &ana, "one:admin three:viewer ");
  memberships_is(b, &local, "one:owner two:owner three:owner ");
  struct principal token = {.kind = PRINCIPAL_TOKEN, .tenant = three.tenant_id, .role = ROLE_EDITOR};
  memberships_is(b, &token, "three:editor ");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      BENCH_TEST(setup_is_required_until_there_is_a_user),
      BENCH_TEST(setup_makes_the_first_owner_and_organization),
      BENCH_TEST(setup_without_a_name_calls_it_default),
      BENCH_TEST(setup_refuses_what_is_no_email),
      BENCH_TEST(the_local_organization_is_made_once),
      BENCH_TEST(setup_takes_over_the_local_organization),
      BENCH_TEST(setup_leaves_the_slug_another_organization_has),
      BENCH_TEST(a_superadmin_makes_organizations),
      BENCH_TEST(organizations_are_listed_in_pages_both_ways),
      BENCH_TEST(a_user_is_stored_with_a_lower_case_email),
      BENCH_TEST(reading_nobody_finds_nobody),
      BENCH_TEST(nobody_gives_more_than_they_hold),
      BENCH_TEST(a_role_lost_since_the_request_began_gives_nothing),
      BENCH_TEST(a_membership_is_given_and_changed),
      BENCH_TEST(a_user_whom_an_admin_has_nothing_to_do_with_is_absent),
      BENCH_TEST(the_last_owner_stays_one),
      BENCH_TEST(an_admin_neither_makes_nor_lessens_owners),
      BENCH_TEST(memberships_are_what_a_principal_can_enter),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
