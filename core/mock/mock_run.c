// SPDX-License-Identifier: Apache-2.0
// Resolution: candidates are asked in the order of mock.h, the first that answers wins, and when none does the miss
// marker answers. What changes while a run goes on is here and never in the set, which other runs share.
#include <assert.h>
#include <stdlib.h>

#include "base/mem.h"
#include "mock/mock.h"
#include "mock/mock_set.h"

struct mock_run {
  const struct mock_set *set; // borrowed
  size_t unused;
  bool answered[]; // by mock
};

struct mock_run *mock_run_new(const struct mock_set *set) {
  struct mock_run *run = mem_zalloc(sizeof(*run) + set->count * sizeof(run->answered[0]));
  run->set = set;
  run->unused = set->count;
  return run;
}

void mock_run_free(struct mock_run *run) {
  free(run);
}

size_t mock_run_unused(const struct mock_run *run) {
  return run->unused;
}

static struct mock_answer hit(struct mock_run *run, int mock) {
  if (!run->answered[mock]) {
    run->answered[mock] = true;
    run->unused--;
  }
  return (struct mock_answer){.hit = true, .mock = mock, .response = run->set->mocks[mock].response};
}

static struct mock_answer miss(struct str resource, struct buf *scratch) {
  buf_clear(scratch);
  buf_add_c(scratch, "[[mock-miss:");
  buf_add_str(scratch, resource);
  buf_add_c(scratch, "]]");
  assert(!scratch->over);
  return (struct mock_answer){.hit = false, .mock = MOCK_NONE, .response = buf_str(scratch)};
}

void mock_resolve(struct mock_run *run, struct mock_resource resource, struct buf *scratch,
                  struct mock_answer *ret_answer) {
  int mock = exact_index_find(&run->set->exact, resource);
  *ret_answer = mock == MOCK_NONE ? miss(resource.text, scratch) : hit(run, mock);
}
