// SPDX-License-Identifier: Apache-2.0
// Resolution. A question goes through the exact mocks of the resource (found by the index), then through the others as
// written, and writes down each one that matches; the first that has an answer left gives it. The others are asked even
// behind that one, so that the evidence names every mock that would have answered.
//
// A question can be put down and taken up again between two mocks (mock_decide), so that thousands of patterns never
// hold the loop. What changes while a run goes on is here and never in the set, which other runs share.
#include <assert.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "mock/mock_set.h"

enum { SLICE_NS = 1000000, EXACT_A_LOOK = 256, SCRATCH_MAX_BYTES = MOCK_HUGE_BYTES + MOCK_RESPONSE_MAX_BYTES };

const char *const mock_outcome_names[] = {"answered", "behind", "used_up", "matcher_limit", NULL};

struct mock_run *mock_run_new(const struct mock_set *set) {
  struct mock_run *run = mem_zalloc(sizeof(*run) + set->count * sizeof(run->used[0]));
  run->set = (struct mock_set *)(uintptr_t)set;
  run->unused = set->count;
  buf_init(&run->scratch, SCRATCH_MAX_BYTES);
  return run;
}

void mock_run_free(struct mock_run *run) {
  if (!run) return;
  match_input_done(&run->question.input);
  buf_done(&run->scratch);
  buf_done(&run->near);
  free(run);
}

size_t mock_run_unused(const struct mock_run *run) {
  return run->unused;
}

bool mock_run_used(const struct mock_run *run, size_t index) {
  assert(index < run->set->count);
  return run->used[index] > 0;
}

// ---- answers ----

static bool has_answer(const struct mock *mock, uint32_t used) {
  if (mock->times && used >= mock->times) return false;
  return mock->exhausted != MOCK_EXHAUSTED_MISS || used < mock->answer_count;
}

static const struct answer *answer_of(const struct mock *mock, uint32_t used) {
  if (used < mock->answer_count) return &mock->answers[used];
  return &mock->answers[mock->exhausted == MOCK_EXHAUSTED_CYCLE ? used % mock->answer_count : mock->answer_count - 1];
}

static void add_marker(struct buf *scratch, const char *name, struct str text) {
  buf_addf(scratch, "[[%s", name);
  if (str_present(text)) {
    buf_add_char(scratch, ':');
    buf_add_str(scratch, text);
  }
  buf_add_c(scratch, "]]");
}

/// What the agent receives of an answer. A fault's text is made when it is needed.
static struct str text_of(const struct answer *answer, struct buf *scratch) {
  buf_clear(scratch);
  switch (answer->fault) {
  case MOCK_FAULT_NONE: return answer->text;
  case MOCK_FAULT_EMPTY: return STR("");
  case MOCK_FAULT_MALFORMED: return utf8_clamp(answer->text, answer->text.len / 2);
  case MOCK_FAULT_ERROR: add_marker(scratch, "mock-fault:error", answer->text.len ? answer->text : STR_NONE); break;
  case MOCK_FAULT_TIMEOUT: add_marker(scratch, "mock-fault:timeout", STR_NONE); break;
  case MOCK_FAULT_HUGE:
    while (scratch->len < MOCK_HUGE_BYTES) buf_add_str(scratch, answer->text);
    return utf8_clamp(buf_str(scratch), MOCK_HUGE_BYTES);
  }
  assert(!scratch->over);
  return buf_str(scratch);
}

static void answer_hit(struct mock_run *run, int at) {
  const struct mock *mock = &run->set->mocks[at];
  const struct answer *answer = answer_of(mock, run->used[at]);
  struct mock_answer *out = &run->question.answer;
  if (run->used[at] == 0) run->unused--;
  if (run->used[at] < UINT32_MAX) run->used[at]++;
  out->hit = true;
  out->mock = at;
  if (mock->counted) out->use = run->used[at];
  out->fault = answer->fault;
  out->delay_ms = answer->delay_ms;
  out->response = text_of(answer, &run->scratch);
}

static void answer_miss(struct mock_run *run) {
  buf_clear(&run->scratch);
  struct str resource = run->question.input.text;
  add_marker(&run->scratch, "mock-miss", resource.data ? resource : STR(""));
  assert(!run->scratch.over);
  run->question.answer.response = buf_str(&run->scratch);
}

// ---- the question ----

static void note(struct question *q, int mock, enum mock_outcome outcome) {
  if (q->answer.candidate_count == MOCK_CANDIDATES_MAX) {
    q->answer.candidates_omitted++;
    if (outcome != MOCK_ANSWERED) return;
    q->answer.candidate_count--; // the one that answers is always listed
  }
  q->candidates[q->answer.candidate_count++] = (struct mock_candidate){mock, outcome};
}

static bool decided(const struct question *q) {
  return q->answer.hit || q->answer.undecided != MOCK_NONE;
}

static void matched(struct mock_run *run, int mock) {
  struct question *q = &run->question;
  if (!has_answer(&run->set->mocks[mock], run->used[mock])) {
    note(q, mock, MOCK_USED_UP);
  } else if (decided(q)) {
    note(q, mock, MOCK_BEHIND);
  } else {
    note(q, mock, MOCK_ANSWERED);
    answer_hit(run, mock);
  }
}

static void undecided(struct mock_run *run, int mock) {
  struct question *q = &run->question;
  if (!has_answer(&run->set->mocks[mock], run->used[mock])) return; // whatever it says, it answers nothing
  note(q, mock, MOCK_UNDECIDED);
  if (!decided(q)) q->answer.undecided = mock;
}

void mock_ask(struct mock_run *run, struct mock_resource resource) {
  struct question *q = &run->question;
  match_input_set(&q->input, resource.text);
  q->resource = resource;
  q->exact = exact_index_find(&run->set->exact, resource);
  q->next = 0;
  q->answer = (struct mock_answer){.mock = MOCK_NONE, .undecided = MOCK_NONE, .candidates = q->candidates};
}

// Asks one more mock. False when there is none.
static bool step(struct mock_run *run) {
  struct question *q = &run->question;
  if (q->exact != MOCK_NONE) {
    int mock = q->exact;
    q->exact = run->set->mocks[mock].next_same;
    matched(run, mock);
    return true;
  }
  // What a pattern says of a part of a text it does not say of the whole: only the exact mock of the same text answers
  // a request that was cut.
  if (q->resource.whole || q->next == run->set->other_count) return false;
  int mock = run->set->others[q->next++];
  q->input.steps_left = MATCH_STEPS_MAX;
  switch (matcher_match(run->set->mocks[mock].matcher, &q->input)) {
  case MATCH_YES: matched(run, mock); break;
  case MATCH_NO: break;
  case MATCH_LIMIT: undecided(run, mock); break;
  }
  return true;
}

bool mock_decide(struct mock_run *run, struct mock_answer *ret_answer) {
  struct clock clock = clock_system();
  int64_t until_ns = 0;
  for (unsigned steps = 1; step(run); steps++) {
    if (run->question.next == 0 && steps % EXACT_A_LOOK != 0) continue; // patterns take time, others do in numbers
    int64_t now_ns = clock_mono_ns(&clock);
    if (until_ns == 0) until_ns = now_ns + SLICE_NS;
    if (now_ns >= until_ns) return false;
  }
  if (!run->question.answer.hit) answer_miss(run);
  *ret_answer = run->question.answer;
  return true;
}

void mock_resolve(struct mock_run *run, struct mock_resource resource, struct mock_answer *ret_answer) {
  mock_ask(run, resource);
  while (!mock_decide(run, ret_answer)) {
  }
}
