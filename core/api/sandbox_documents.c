// SPDX-License-Identifier: Apache-2.0
// The module's records as JSON documents. Their shapes are in sandbox_shapes.c; developer builds hold every answer
// against them.
#include "api/sandbox_documents.h"

#include "api/call.h"

void write_reason(struct json_writer *out, const char *key, const struct reason *reason) {
  if (!reason->code) return;
  jw_object(out, key);
  jw_c(out, "code", reason->code);
  jw_str(out, "message", reason->message);
  jw_object_end(out);
}

void write_scenario(struct json_writer *out, const struct scenario *s, bool with_content) {
  jw_object(out, NULL);
  write_id(out, "id", s->id);
  jw_str(out, "name", s->name);
  write_text(out, "description", s->description);
  jw_str(out, "subject_kind", s->subject_kind);
  jw_c(out, "status", s->archived ? "archived" : "active");
  jw_int(out, "revision", s->revision);
  write_digest(out, "spec_hash", &s->spec_hash);
  jw_int(out, "seed", s->seed);
  jw_int(out, "steps_count", s->steps_count);
  jw_int(out, "mocks_count", s->mocks_count);
  if (with_content) {
    jw_raw(out, "steps", s->steps);
    jw_raw(out, "mocks", s->mocks);
    jw_raw(out, "variants", s->variants);
  } else {
    jw_raw(out, "variant_names", s->variant_names);
  }
  if (str_present(s->clamped)) jw_raw(out, "clamped", s->clamped);
  write_time(out, "created_at", s->created_at);
  jw_str(out, "created_by", s->created_by);
  write_time(out, "updated_at", s->updated_at);
  jw_object_end(out);
}

static void write_clamped(struct json_writer *out, struct str clamped) {
  if (!str_present(clamped)) return;
  jw_array(out, "clamped");
  jw_raw(out, NULL, clamped);
  jw_array_end(out);
}

void write_run(struct json_writer *out, const struct run *run, struct str clamped) {
  jw_object(out, NULL);
  write_id(out, "id", run->id);
  jw_c(out, "kind", run_kind_names[run->kind]);
  write_id(out, "scenario_ref", run->scenario);
  if (run->scenario_revision) jw_int(out, "scenario_revision", run->scenario_revision);
  write_digest(out, "spec_hash", &run->spec_hash);
  jw_str(out, "subject_ref", run->subject_ref);
  write_text(out, "variant", run->variant);
  if (str_present(run->variant)) jw_c(out, "variant_kind", run_variant_kinds[run->overlaid]);
  jw_int(out, "seed", run->seed);
  jw_str(out, "runner", run->runner);
  jw_bool(out, "isolated", run->isolated);
  jw_bool(out, "destroyed", run->destroyed);
  jw_c(out, "status", run_status_names[run->status]);
  write_reason(out, "reason", &run->reason);
  jw_int(out, "steps_total", run->steps_total);
  jw_int(out, "steps_ok", run->steps_ok);
  jw_int(out, "steps_error", run->steps_error);
  if (run->has_outputs_hash) write_digest(out, "outputs_hash", &run->outputs_hash);
  write_text(out, "suite_ref", run->suite_ref);
  if (run->scored) {
    jw_real(out, "score", run->score);
    jw_bool(out, "passed", run->passed);
  }
  jw_raw(out, "unused_mocks", run->unused_mocks);
  jw_int(out, "unused_mock_count", run->unused_mock_count);
  jw_int(out, "virtual_ms", run->virtual_ms);
  jw_raw(out, "attestation", run->attestation);
  write_time(out, "started_at", run->started_at);
  if (run->finished_at) {
    write_time(out, "finished_at", run->finished_at);
    jw_int(out, "duration_ms", run->duration_ms);
  }
  jw_str(out, "launched_by", run->launched_by);
  write_clamped(out, clamped);
  jw_object_end(out);
}

void write_output(struct json_writer *out, const struct output *o) {
  jw_object(out, NULL);
  write_id(out, "id", o->id);
  write_id(out, "run_ref", o->run);
  jw_int(out, "seq", o->seq);
  jw_str(out, "step_key", o->step_key);
  jw_str(out, "output", o->output);
  jw_bool(out, "mock_hit", o->mock_hit);
  if (o->clamped) jw_bool(out, "clamped", true);
  jw_raw(out, "calls", o->calls);
  write_time(out, "occurred_at", o->occurred_at);
  jw_object_end(out);
}

static void write_differences(struct json_writer *out, const struct differences *d, bool with_pairs) {
  jw_object(out, "counts");
  for (int i = 0; difference_names[i]; i++) jw_int(out, difference_names[i], d->counts[i]);
  jw_object_end(out);
  if (with_pairs) {
    jw_raw(out, "pairs", d->pairs);
    jw_int(out, "pairs_omitted", d->pairs_omitted);
  }
  jw_raw(out, "differences", d->differences);
  jw_int(out, "differences_omitted", d->differences_omitted);
}

void write_comparison(struct json_writer *out, const struct comparison *c, bool with_pairs, struct str clamped) {
  bool scored = c->has_baseline_score && c->has_candidate_score;
  jw_object(out, NULL);
  write_id(out, "id", c->id);
  write_id(out, "scenario_ref", c->scenario);
  write_text(out, "session_ref", c->session_ref);
  jw_str(out, "subject_ref", c->subject_ref);
  write_id(out, "baseline_run_ref", c->baseline);
  write_id(out, "candidate_run_ref", c->candidate);
  write_text(out, "baseline_variant", c->baseline_variant);
  write_text(out, "candidate_variant", c->candidate_variant);
  write_text(out, "suite_ref", c->suite_ref);
  jw_bool(out, "scored", scored);
  if (c->has_baseline_score) jw_real(out, "baseline_score", c->baseline_score);
  if (c->has_candidate_score) jw_real(out, "candidate_score", c->candidate_score);
  if (scored) jw_real(out, "delta", c->candidate_score - c->baseline_score);
  jw_c(out, "verdict", verdict_names[c->verdict]);
  write_reason(out, "reason", &c->reason);
  jw_object(out, "rule");
  jw_str(out, "ref", c->rule_ref);
  write_digest(out, "hash", &c->rule_hash);
  jw_object_end(out);
  jw_bool(out, "comparable", c->comparable);
  jw_raw(out, "not_comparable", c->not_comparable);
  jw_bool(out, "self_check", c->self_check);
  jw_bool(out, "same_spec", c->same_spec);
  jw_bool(out, "variant_unknown", c->variant_unknown);
  write_differences(out, &c->differences, with_pairs);
  jw_str(out, "decided_by", c->decided_by);
  write_time(out, "occurred_at", c->occurred_at);
  write_clamped(out, clamped);
  jw_object_end(out);
}

void write_runner(struct json_writer *out, const struct runner *runner, const struct runner_report *report) {
  jw_object(out, NULL);
  jw_c(out, "name", runner->name);
  jw_bool(out, "available", report->available);
  jw_c(out, "strength", report->strength);
  if (!report->available) {
    jw_c(out, "missing", report->missing);
    jw_c(out, "reason", report->reason);
  }
  jw_array(out, "attests");
  for (const char *const *a = report->attests; a && *a; a++) jw_c(out, NULL, *a);
  jw_array_end(out);
  jw_array(out, "stages");
  for (size_t i = 0; i < report->stage_count; i++) {
    const struct runner_stage *stage = &report->stages[i];
    jw_object(out, NULL);
    jw_c(out, "stage", stage->stage);
    jw_bool(out, "ok", stage->ok);
    if (stage->sys_errno) jw_int(out, "errno", stage->sys_errno);
    jw_c(out, "detail", stage->detail);
    jw_object_end(out);
  }
  jw_array_end(out);
  jw_object_end(out);
}
