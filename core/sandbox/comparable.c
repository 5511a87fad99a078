// SPDX-License-Identifier: Apache-2.0
// What two arms must have in common for a difference between them to mean anything: the scenario (or the subject, when
// there is none), the steps, the runner and the suite that scores them. Everything that sets them apart is named, not
// the first thing only.
#include "sandbox/comparable.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/buf.h"
#include "base/json.h"
#include "base/json_writer.h"
#include "base/utf8.h"

const char *const comparable_codes[] = {"scenario", "subject", "steps", "runner", "suite", NULL};

enum { REASONS_MAX_BYTES = 32 * 1024 };

struct reasons {
  struct buf json, text;
  struct json_writer out;
};

__attribute__((format(printf, 3, 4))) static void set_apart(struct reasons *r, const char *code, const char *fmt, ...) {
  char message[3 * 1024];
  va_list args;
  va_start(args, fmt);
  vsnprintf(message, sizeof message, fmt, args);
  va_end(args);
  utf8_mend(message, strlen(message)); // a long name was cut in the middle of a character
  jw_object(&r->out, NULL);
  jw_c(&r->out, "code", code);
  jw_c(&r->out, "message", message);
  jw_object_end(&r->out);
  if (r->text.len) buf_add_char(&r->text, ' ');
  buf_add_c(&r->text, message);
}

static struct str or_none(struct str text) {
  return str_present(text) && text.len ? text : STR("none");
}

static bool same_steps(struct store_conn *conn, struct arena *arena, const struct run *b, const struct run *c,
                       bool *ret_same, struct err *err) {
  *ret_same = true;
  if (digest_eq(&b->spec_hash, &c->spec_hash)) return true;
  struct str b_text, c_text;
  AUTO(json_auto_decref) json_t *b_spec = NULL;
  AUTO(json_auto_decref) json_t *c_spec = NULL;
  if (!run_get_spec(conn, arena, b->tenant, &b->spec_hash, &b_text, err) || !json_read(b_text, &b_spec, err) ||
      !run_get_spec(conn, arena, c->tenant, &c->spec_hash, &c_text, err) || !json_read(c_text, &c_spec, err))
    return false;
  *ret_same = json_equal(json_object_get(b_spec, "steps"), json_object_get(c_spec, "steps"));
  return true;
}

static void compare_heads(struct reasons *r, const struct run *b, const struct run *c) {
  if (!id_eq(b->scenario, c->scenario))
    set_apart(r, "scenario", "The arms are runs of different scenarios.");
  else if (id_is_zero(b->scenario) && !str_eq(b->subject_ref, c->subject_ref))
    set_apart(r, "subject", "The arms are runs of different subjects: %.*s and %.*s.", STR_ARG(b->subject_ref),
              STR_ARG(c->subject_ref));
  if (!str_eq(b->runner, c->runner))
    set_apart(r, "runner", "The arms ran in different runners: %.*s and %.*s.", STR_ARG(b->runner), STR_ARG(c->runner));
  if (!str_eq(b->suite_ref, c->suite_ref))
    set_apart(r, "suite", "The arms name different suites: %.*s and %.*s.", STR_ARG(or_none(b->suite_ref)),
              STR_ARG(or_none(c->suite_ref)));
}

bool comparable_read(struct store_conn *conn, struct arena *arena, const struct run *baseline,
                     const struct run *candidate, struct str *ret_reasons, struct str *ret_message, struct err *err) {
  bool same;
  if (!same_steps(conn, arena, baseline, candidate, &same, err)) return false;
  struct reasons r = {0};
  buf_init(&r.json, REASONS_MAX_BYTES);
  buf_init(&r.text, REASONS_MAX_BYTES);
  jw_init(&r.out, &r.json);
  jw_array(&r.out, NULL);
  compare_heads(&r, baseline, candidate);
  // Different scenarios have different steps as a rule; that is no second reason.
  if (!same && id_eq(baseline->scenario, candidate->scenario)) set_apart(&r, "steps", "The arms ran different steps.");
  jw_array_end(&r.out);
  *ret_reasons = arena_str(arena, buf_str(&r.json));
  *ret_message = r.text.len ? arena_str(arena, buf_str(&r.text)) : STR_NONE;
  buf_done(&r.json);
  buf_done(&r.text);
  return true;
}
