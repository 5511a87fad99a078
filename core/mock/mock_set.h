// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stddef.h>

#include "mock/exact_index.h"
#include "mock/matcher.h"
#include "mock/mock.h"
#include "mock/near_index.h"

// What mock.h keeps opaque, for the files of this folder.

struct answer {
  struct str text;
  enum mock_fault fault;
  int64_t delay_ms;
};

/// One mock as a set holds it; all text is the set's.
struct mock {
  struct mock_resource resource; // absent when it has a matcher
  struct matcher *matcher;       // owned; NULL for a resource
  int next_same;                 // the next mock for the same resource, or MOCK_NONE
  struct str place;
  const struct answer *answers; // into the set's
  size_t answer_count;
  enum mock_exhausted exhausted; // behind the last answer
  int64_t times;                 // answers at most so often; 0 = any number
  bool required;
  bool counted; // has a list of answers, or times
};

/// Immutable once mock_set_new has returned it, but for `near`, which the first miss builds.
struct mock_set {
  struct mock *mocks; // in order of precedence; owned
  size_t count;
  struct answer *answers; // of all mocks, end to end; owned
  int *others;            // those with a matcher, in order; owned
  size_t other_count;
  struct exact_index exact; // over the resources of `mocks`
  char *text;               // every text of every mock, end to end; owned
  struct digest *wholes;    // one for each cut resource; owned
  size_t bytes;
  struct near_index *near; // NULL until the first miss; owned
};

/// What one run has consumed, and the question it was asked last.
struct question {
  struct match_input input;
  struct mock_resource resource;
  int exact;   // the next mock for this resource, or MOCK_NONE
  size_t next; // in the set's others
  struct mock_answer answer;
  struct mock_candidate candidates[MOCK_CANDIDATES_MAX];
};

struct mock_run {
  struct mock_set *set; // borrowed; changed only to give it its near_index
  size_t unused;
  struct buf scratch; // an answer that is not the set's
  struct buf near;    // the texts of near-misses
  struct question question;
  uint32_t used[]; // by mock: how often it answered
};
