// SPDX-License-Identifier: Apache-2.0
// That what is written has the shape that is declared, with as little and as much in it as a record can have.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

// cmocka.h wants what stands above.
// clang-format off
#include <cmocka.h>
// clang-format on

#include "api/platform_documents.h"
#include "api/platform_shapes.h"
#include "base/schema.h"

#define NOW INT64_C(1767225600000000000) // 2026-01-01T00:00:00Z

struct document {
  struct buf text;
  struct json_writer out;
};

static void document_init(struct document *d) {
  buf_init(&d->text, 1 << 16);
  jw_init(&d->out, &d->text);
}

/// Holds the document against the shape and returns it parsed.
static json_t *document_done(struct document *d, const struct schema *shape) {
  struct err err = {0};
  json_t *json = NULL;
  if (!json_read(buf_str(&d->text), &json, &err) || !schema_check(shape, json, &err))
    fail_msg("%s: %s\n%s", err.place, err.msg, d->text.data);
  buf_done(&d->text);
  return json;
}

static void a_token_shows_its_secret_only_when_it_is_made(void **state) {
  (void)state;
  struct api_token token = {.id = id_new(NOW),
                            .tenant = id_new(NOW),
                            .name = STR("ci"),
                            .role = ROLE_EDITOR,
                            .created_at = NOW,
                            .created_by = STR("local")};
  struct document d;
  document_init(&d);
  write_token(&d.out, &token, "olv_x");
  json_t *made = document_done(&d, &shape_new_token);
  assert_string_equal(json_string_value(json_object_get(made, "token")), "olv_x");
  assert_string_equal(json_string_value(json_object_get(made, "role")), "editor");
  assert_null(json_object_get(made, "expires_at"));
  json_decref(made);

  token.expires_at = NOW + 1;
  token.revoked_at = NOW + 2;
  document_init(&d);
  write_token(&d.out, &token, NULL);
  json_t *listed = document_done(&d, &shape_token);
  assert_null(json_object_get(listed, "token"));
  assert_string_equal(json_string_value(json_object_get(listed, "expires_at")), "2026-01-01T00:00:00.000000001Z");
  assert_string_equal(json_string_value(json_object_get(listed, "revoked_at")), "2026-01-01T00:00:00.000000002Z");
  json_decref(listed);
}

static void a_ledger_entry_keeps_its_details_as_they_are(void **state) {
  (void)state;
  struct audit_row row = {.seq = 1,
                          .id = id_new(NOW),
                          .occurred_at = NOW,
                          .actor = STR("local"),
                          .action = STR("token.create"),
                          .target = STR(""),
                          .details = STR("{\"role\":\"viewer\"}")};
  struct document d;
  document_init(&d);
  write_audit_entry(&d.out, &row);
  json_t *entry = document_done(&d, &shape_audit_entry);
  assert_string_equal(json_string_value(json_object_get(json_object_get(entry, "details"), "role")), "viewer");
  assert_null(json_object_get(entry, "target"));
  assert_int_equal(json_string_length(json_object_get(entry, "hash")), 64);
  json_decref(entry);
}

static void every_fault_of_a_ledger_has_its_word(void **state) {
  (void)state;
  for (int fault = AUDIT_INTACT; fault <= AUDIT_TAIL_REMOVED; fault++) {
    struct audit_report report = {.fault = (enum audit_fault)fault, .entries = 3, .message = "m"};
    if (fault != AUDIT_INTACT) report.first_bad_seq = 2;
    struct document d;
    document_init(&d);
    write_audit_report(&d.out, &report);
    json_t *json = document_done(&d, &shape_audit_report);
    assert_string_equal(json_string_value(json_object_get(json, "fault")), audit_fault_name(report.fault));
    assert_int_equal(json_is_true(json_object_get(json, "intact")), fault == AUDIT_INTACT);
    json_t *bad = json_object_get(json, "first_bad");
    assert_int_equal(json_integer_value(json_object_get(bad, "seq")), fault == AUDIT_INTACT ? 0 : 2);
    assert_null(json_object_get(bad, "id"));
    json_decref(json);
  }
}

static void a_user_without_a_display_name_has_no_such_member(void **state) {
  (void)state;
  struct user user = {.id = id_new(NOW), .email = STR("a@b"), .superadmin = true, .created_at = NOW};
  struct organization org = {
      .id = id_new(NOW), .tenant_id = id_new(NOW), .name = STR("n"), .slug = STR("s"), .created_at = NOW};
  struct document d;
  document_init(&d);
  jw_object(&d.out, NULL);
  write_user(&d.out, "user", &user);
  write_organization(&d.out, "organization", &org);
  jw_c(&d.out, "token", "ols_x");
  jw_c(&d.out, "expires_at", "2026-01-01T00:00:00.000000000Z");
  jw_object_end(&d.out);
  json_t *json = document_done(&d, &shape_setup);
  assert_null(json_object_get(json_object_get(json, "user"), "display_name"));
  assert_true(json_is_true(json_object_get(json_object_get(json, "user"), "superadmin")));
  json_decref(json);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_token_shows_its_secret_only_when_it_is_made),
      cmocka_unit_test(a_ledger_entry_keeps_its_details_as_they_are),
      cmocka_unit_test(every_fault_of_a_ledger_has_its_word),
      cmocka_unit_test(a_user_without_a_display_name_has_no_such_member),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
