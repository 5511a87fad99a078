// SPDX-License-Identifier: Apache-2.0
#include "access/modules.h"
#include "access/test_access.h"

static bool enabled(struct bench *b, struct id tenant) {
  bool on;
  CHECK_OK(b, module_enabled(b->conn, tenant, "sandbox", &on, &b->err));
  return on;
}

static void the_sandbox_is_the_only_module(void **state) {
  (void)state;
  assert_string_equal(module_infos[0].name, "sandbox");
  assert_string_equal(module_infos[0].summary, "scenarios, runs, replay and comparison of agents on mocks");
  assert_null(module_infos[1].name);
  assert_true(module_known(STR("sandbox")));
  assert_false(module_known(STR("Sandbox")));
  assert_false(module_known(STR("")));
}

static void an_owner_switches_a_module_of_one_tenant(void **state) {
  struct bench *b = *state;
  struct organization org = bench_org(b, "acme"), other = bench_org(b, "other");
  struct principal by = bench_local();
  by.tenant = org.tenant_id;
  assert_false(enabled(b, org.tenant_id));
  CHECK_OK(b, module_switch(b->conn, &by, STR("sandbox"), true, BENCH_NOW, &b->err));
  assert_true(enabled(b, org.tenant_id));
  assert_false(enabled(b, other.tenant_id));
  assert_string_equal(bench_newest(b, org.tenant_id).text, "local module.on module:sandbox {}");
  CHECK_OK(b, module_switch(b->conn, &by, STR("sandbox"), false, BENCH_NOW, &b->err));
  assert_false(enabled(b, org.tenant_id));
  assert_string_equal(bench_newest(b, org.tenant_id).text, "local module.off module:sandbox {}");
}

static void switching_to_what_it_is_appends_nothing(void **state) {
  struct bench *b = *state;
  struct organization org = bench_org(b, "acme");
  struct principal by = bench_local();
  by.tenant = org.tenant_id;
  int entries = bench_entries(b, org.tenant_id);
  CHECK_OK(b, module_switch(b->conn, &by, STR("sandbox"), false, BENCH_NOW, &b->err));
  assert_int_equal(bench_entries(b, org.tenant_id), entries);
  CHECK_OK(b, module_switch(b->conn, &by, STR("sandbox"), true, BENCH_NOW, &b->err));
  CHECK_OK(b, module_switch(b->conn, &by, STR("sandbox"), true, BENCH_NOW, &b->err));
  assert_int_equal(bench_entries(b, org.tenant_id), entries + 1);
}

static void an_admin_switches_nothing(void **state) {
  struct bench *b = *state;
  struct organization org = bench_org(b, "acme");
  struct principal by = {.kind = PRINCIPAL_USER, .tenant = org.tenant_id, .role = ROLE_ADMIN, .actor = "user:x"};
  CHECK_FAILS(b, module_switch(b->conn, &by, STR("sandbox"), true, BENCH_NOW, &b->err), ERR_FORBIDDEN,
              "takes the role owner");
  assert_false(enabled(b, org.tenant_id));
}

static void an_engine_secret_is_made_once_and_kept(void **state) {
  struct bench *b = *state;
  uint8_t made[32] = {0}, again[32] = {0}, other[32] = {0}, zeros[32] = {0};
  bool found = true;
  CHECK_OK(b, engine_secret_read(b->conn, "cursor", again, &found, &b->err));
  assert_false(found);
  CHECK_OK(b, engine_secret(b->conn, "cursor", made, &b->err));
  assert_memory_not_equal(made, zeros, 32);
  CHECK_OK(b, engine_secret(b->conn, "other", other, &b->err));
  assert_memory_not_equal(made, other, 32);
  bench_restart(b);
  CHECK_OK(b, engine_secret(b->conn, "cursor", again, &b->err));
  assert_memory_equal(made, again, 32);
  memset(again, 0, sizeof again);
  CHECK_OK(b, engine_secret_read(store_reader(b->store), "cursor", again, &found, &b->err));
  assert_true(found);
  assert_memory_equal(made, again, 32);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_sandbox_is_the_only_module),    BENCH_TEST(an_owner_switches_a_module_of_one_tenant),
      BENCH_TEST(switching_to_what_it_is_appends_nothing), BENCH_TEST(an_admin_switches_nothing),
      BENCH_TEST(an_engine_secret_is_made_once_and_kept),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
