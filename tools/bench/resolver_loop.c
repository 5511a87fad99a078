// SPDX-License-Identifier: Apache-2.0
// The yardstick for steps: the resolver alone, over the steps and mocks of a scenario as it is sent to the engine. What
// the engine does besides (evidence, hashes, JSON, the store, HTTP) is not here.
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/secret.h"
#include "mock/mock.h"

enum { SCENARIO_MAX_BYTES = 1 << 20, SECONDS_MAX = 60 };

__attribute__((noreturn)) static void fail(const char *what) {
  fprintf(stderr, "resolver_loop: %s\n", what);
  exit(EXIT_FAILURE);
}

static json_t *read_scenario(const char *path) {
  AUTO(mem_auto_free) char *text = mem_alloc(SCENARIO_MAX_BYTES);
  FILE *file = fopen(path, "re");
  if (!file) fail(path);
  size_t len = fread(text, 1, SCENARIO_MAX_BYTES, file);
  fclose(file);
  json_t *scenario;
  struct err err = {0};
  if (!json_read((struct str){text, len}, &scenario, &err)) fail(err.msg);
  return scenario;
}

/// One run of the scenario; returns how many of its steps a mock answered.
static size_t run_once(const struct mock_set *mocks, const struct mock_resource *steps, size_t count) {
  size_t hits = 0;
  struct mock_run *run = mock_run_new(mocks);
  for (size_t i = 0; i < count; i++) {
    struct mock_answer answer;
    mock_resolve(run, steps[i], &answer);
    hits += answer.hit;
  }
  mock_run_free(run);
  return hits;
}

static void measure(const json_t *scenario, int64_t wanted_ns) {
  struct err err = {0};
  struct mock_set *mocks;
  if (!mock_set_new(&(struct mock_layer){"mocks", json_object_get(scenario, "mocks"), NULL}, 1, &mocks, &err))
    fail(err.msg);
  const json_t *items = json_object_get(scenario, "steps");
  size_t count = json_array_size(items);
  struct mock_resource *steps = mem_array(count, sizeof *steps);
  for (size_t i = 0; i < count; i++) steps[i].text = json_member_str(json_array_get(items, i), "input");

  struct clock clock = clock_system();
  int64_t begin_ns = clock_mono_ns(&clock), took_ns = 0;
  size_t resolved = 0, hits = 0;
  while (took_ns < wanted_ns) {
    hits += run_once(mocks, steps, count);
    resolved += count;
    took_ns = clock_mono_ns(&clock) - begin_ns;
  }
  printf("steps=%zu hits=%zu steps_per_s=%.1f\n", resolved, hits, (double)resolved / ((double)took_ns / 1e9));
  free(steps);
  mock_set_free(mocks);
}

int main(int argc, char **argv) {
  char *end = NULL;
  long seconds = argc == 3 ? strtol(argv[2], &end, 10) : -1;
  if (seconds < 1 || seconds > SECONDS_MAX || *end) {
    fprintf(stderr, "usage: resolver_loop SCENARIO.json SECONDS\n");
    return 2;
  }
  secret_setup();
  AUTO(json_auto_decref) json_t *scenario = read_scenario(argv[1]);
  measure(scenario, seconds * 1000000000);
  return EXIT_SUCCESS;
}
