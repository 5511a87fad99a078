// SPDX-License-Identifier: Apache-2.0
// The evidence of one resolution. What is as it usually is (no other candidate, no delay, no fault) is left out: a run
// has thousands of these.
#include "sandbox/resolution.h"

static void write_place(struct json_writer *out, const char *key, const struct mock_set *mocks, int mock) {
  jw_str(out, key, mock_set_place(mocks, (size_t)mock));
}

static void write_candidates(struct json_writer *out, const struct mock_set *mocks, const struct mock_answer *answer) {
  bool only_the_one = answer->candidate_count == 1 && answer->candidates[0].outcome == MOCK_ANSWERED;
  if (answer->candidate_count == 0 || only_the_one) return;
  jw_array(out, "candidates");
  for (size_t i = 0; i < answer->candidate_count; i++) {
    const struct mock_candidate *candidate = &answer->candidates[i];
    jw_object(out, NULL);
    write_place(out, "mock", mocks, candidate->mock);
    jw_c(out, "matched_by", mock_set_matcher(mocks, (size_t)candidate->mock));
    jw_c(out, "outcome", mock_outcome_names[candidate->outcome]);
    jw_object_end(out);
  }
  jw_array_end(out);
  if (answer->candidates_omitted) jw_int(out, "candidates_omitted", (int64_t)answer->candidates_omitted);
}

void resolution_write(struct json_writer *out, const struct mock_set *mocks, const struct mock_answer *answer) {
  jw_bool(out, "mock_hit", answer->hit);
  if (answer->hit) {
    write_place(out, "mock", mocks, answer->mock);
    jw_c(out, "matched_by", mock_set_matcher(mocks, (size_t)answer->mock));
    if (answer->use) jw_int(out, "use", answer->use);
    if (answer->fault) jw_c(out, "fault", mock_fault_names[answer->fault]);
    if (answer->delay_ms) jw_int(out, "delay_ms", answer->delay_ms);
  }
  if (answer->undecided != MOCK_NONE) write_place(out, "matcher_limit", mocks, answer->undecided);
  write_candidates(out, mocks, answer);
}

static void write_equal_after(struct json_writer *out, unsigned equal_after) {
  if (!equal_after) return;
  jw_array(out, "equal_after");
  for (unsigned i = 0; mock_equal_names[i]; i++)
    if (equal_after & (1u << i)) jw_c(out, NULL, mock_equal_names[i]);
  jw_array_end(out);
}

void resolution_write_near(struct json_writer *out, const struct mock_set *mocks, const struct mock_near_miss *near,
                           size_t count, size_t skipped) {
  if (skipped) jw_int(out, "near_misses_skipped", (int64_t)skipped);
  if (count == 0) return;
  jw_array(out, "near_misses");
  for (size_t i = 0; i < count; i++) {
    jw_object(out, NULL);
    write_place(out, "mock", mocks, near[i].mock);
    jw_str(out, "criterion", near[i].criterion);
    jw_str(out, "why", near[i].why);
    jw_str(out, "expected", near[i].expected);
    if (str_present(near[i].got)) jw_str(out, "got", near[i].got);
    if (near[i].has_at) jw_int(out, "at", (int64_t)near[i].at);
    write_equal_after(out, near[i].equal_after);
    jw_object_end(out);
  }
  jw_array_end(out);
}
