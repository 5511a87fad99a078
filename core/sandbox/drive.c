// SPDX-License-Identifier: Apache-2.0
// The same for every backend: which step is next, what a request is answered with, and what is evidence of it. A step's
// requests are collected until its output comes; the output ends the step.
#include "sandbox/drive.h"

#include "base/buf.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "sandbox/limits.h"
#include "sandbox/resolution.h"

enum {
  CALLS_MAX_BYTES = 1024 * 1024,    // evidence of one step's requests
  NEAR_MISSES_EXPLAINED_MAX = 1000, // of a run
};

struct drive {
  struct runner *runner;
  struct runner_execution *execution;
  struct plan *plan;
  struct mock_run *mocks;
  const struct drive_events *events;
  void *ctx;
  size_t next_seq;
  struct hash outputs;
  int64_t virtual_ms; // the run's virtual clock
  int64_t misses;     // so far
  // The step under way.
  struct buf calls;
  struct json_writer calls_writer;
  unsigned call_count;
  bool all_hit;
  bool calls_cut;      // what is in `calls` is not all of them
  struct digest whole; // of a request that was cut
  bool asking;         // the request at hand is being decided
  struct mock_resource asked;
};

static void step_begin(struct drive *d) {
  buf_clear(&d->calls);
  jw_init(&d->calls_writer, &d->calls);
  jw_array(&d->calls_writer, NULL);
  d->call_count = 0;
  d->all_hit = true;
  d->calls_cut = false;
}

static enum runner_next next_step(void *ctx, struct runner_step *ret_step) {
  struct drive *d = ctx;
  if (d->next_seq == d->plan->step_count) return RUNNER_NO_MORE;
  if (!d->events->ready(d->ctx)) return RUNNER_WAIT;
  const struct plan_step *step = &d->plan->steps[d->next_seq];
  *ret_step = (struct runner_step){.seq = d->next_seq, .key = step->key, .input = step->input};
  d->next_seq++;
  step_begin(d);
  return RUNNER_STEP;
}

/// The resource as matching sees it: one that is the step's own input, as the reference agent makes it, carries the
/// mark of a cut; one that is too long is cut and marked as a mock's is.
static struct mock_resource as_resource(struct drive *d, size_t seq, struct str resource) {
  const struct plan_step *step = &d->plan->steps[seq];
  if (resource.len > INPUT_MAX_BYTES) {
    d->whole = hash_of(resource);
    return (struct mock_resource){utf8_clamp(resource, INPUT_MAX_BYTES), &d->whole};
  }
  bool is_input = resource.data == step->input.data && resource.len == step->input.len;
  return (struct mock_resource){resource, is_input ? step->whole : NULL};
}

/// Of a run's first misses: one that misses a hundred thousand times is not explained by a hundred thousand texts.
static void record_near_misses(struct drive *d) {
  struct mock_near_miss near[MOCK_NEAR_MAX];
  if (d->misses++ < NEAR_MISSES_EXPLAINED_MAX)
    resolution_write_near(&d->calls_writer, d->plan->mocks, near, mock_near_misses(d->mocks, near),
                          mock_near_skipped(d->mocks));
  else
    jw_bool(&d->calls_writer, "near_misses_omitted", true);
}

/// A request that does not fit into the evidence any more is left out of it whole, and the output says so.
static void record_call(struct drive *d, struct mock_resource resource, const struct mock_answer *answer) {
  struct json_writer *out = &d->calls_writer;
  const struct json_writer before = *out;
  size_t len = d->calls.len;
  jw_object(out, NULL);
  jw_str(out, "resource", resource.text);
  if (resource.whole) jw_c(out, "resource_whole", digest_format(resource.whole).text);
  resolution_write(out, d->plan->mocks, answer);
  if (!answer->hit && answer->undecided == MOCK_NONE) record_near_misses(d);
  jw_object_end(out);
  if (d->calls.over || d->calls.len == d->calls.cap_bytes) { // the end of the array needs a byte
    *out = before;
    d->calls.len = len;
    d->calls.over = false;
    d->calls_cut = true;
  }
  d->call_count++;
  d->all_hit = d->all_hit && answer->hit;
  d->virtual_ms += answer->delay_ms;
}

static enum runner_answer on_request(void *ctx, size_t seq, uint64_t request, struct str text, struct str *ret_answer) {
  (void)request;
  struct drive *d = ctx;
  struct mock_answer answer;
  if (!d->asking) {
    d->asked = as_resource(d, seq, text);
    mock_ask(d->mocks, d->asked);
  }
  d->asking = !mock_decide(d->mocks, &answer);
  if (d->asking) return RUNNER_AGAIN;
  record_call(d, d->asked, &answer);
  *ret_answer = answer.response;
  return RUNNER_ANSWERED;
}

static void on_output(void *ctx, size_t seq, struct str text) {
  struct drive *d = ctx;
  jw_array_end(&d->calls_writer);
  struct str kept = utf8_clamp(text, OUTPUT_MAX_BYTES);
  const struct output output = {
      .seq = (int64_t)seq,
      .step_key = d->plan->steps[seq].key,
      .output = kept,
      .mock_hit = d->call_count > 0 && d->all_hit,
      .clamped = kept.len < text.len || d->calls_cut,
      .calls = buf_str(&d->calls),
  };
  hash_field(&d->outputs, output.step_key);
  hash_field(&d->outputs, output.output);
  hash_field(&d->outputs, output.mock_hit ? STR("\1") : (struct str){"\0", 1});
  d->events->on_output(d->ctx, &output);
}

static void on_end(void *ctx, enum runner_end_kind end, struct str detail) {
  struct drive *d = ctx;
  d->events->on_end(d->ctx, end, detail);
}

static const struct runner_events runner_events = {next_step, on_request, on_output, on_end};

bool drive_new(struct runner *runner, struct id run, struct plan *plan, const struct drive_events *events, void *ctx,
               struct drive **ret_drive, struct err *err) {
  struct drive *d = mem_zalloc(sizeof *d);
  d->runner = runner;
  d->plan = plan_ref(plan);
  d->mocks = mock_run_new(plan->mocks);
  d->events = events;
  d->ctx = ctx;
  hash_init(&d->outputs);
  buf_init(&d->calls, CALLS_MAX_BYTES);
  if (!runner->prepare(runner, run, &runner_events, d, &d->execution, err)) {
    drive_free(d, NULL);
    return false;
  }
  *ret_drive = d;
  return true;
}

void drive_start(struct drive *d) {
  d->runner->start(d->execution);
}
void drive_wake(struct drive *d) {
  d->runner->wake(d->execution);
}
void drive_stop(struct drive *d) {
  d->runner->stop(d->execution);
}
void drive_attest(struct drive *d, struct json_writer *out) {
  d->runner->attest(d->execution, out);
}
int64_t drive_virtual_ms(const struct drive *d) {
  return d->virtual_ms;
}
int64_t drive_unused_mocks(const struct drive *d) {
  return (int64_t)mock_run_unused(d->mocks);
}

void drive_write_unused_required(const struct drive *d, struct json_writer *out) {
  const struct mock_set *mocks = d->plan->mocks;
  size_t count = mock_set_count(mocks);
  jw_array(out, NULL);
  for (size_t i = 0; i < count; i++)
    if (mock_set_required(mocks, i) && !mock_run_used(d->mocks, i)) jw_str(out, NULL, mock_set_place(mocks, i));
  jw_array_end(out);
}

struct digest drive_outputs_hash(const struct drive *d) {
  struct hash copy = d->outputs;
  return hash_final(&copy);
}

void drive_free(struct drive *d, bool *ret_gone) {
  if (ret_gone) *ret_gone = true;
  if (!d) return;
  bool gone = true;
  if (d->execution) d->runner->destroy(d->execution, &gone);
  if (ret_gone) *ret_gone = gone;
  mock_run_free(d->mocks);
  plan_unref(d->plan);
  buf_done(&d->calls);
  free(d);
}
