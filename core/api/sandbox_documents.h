// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/json_writer.h"
#include "sandbox/comparison.h"
#include "sandbox/run.h"
#include "sandbox/runner.h"
#include "sandbox/scenario.h"

// The module's records as JSON documents: each one value, member order as in the API's description. `key` is NULL in an
// array or at the top.

void write_scenario(struct json_writer *out, const struct scenario *scenario, bool with_content);
/// `clamped`: places of the request that were cut, as the inside of a JSON array; only the answer to that request has
/// them.
void write_run(struct json_writer *out, const struct run *run, struct str clamped);
void write_output(struct json_writer *out, const struct output *output);
/// `with_pairs` as the single read has them; a list leaves them out.
void write_comparison(struct json_writer *out, const struct comparison *comparison, bool with_pairs,
                      struct str clamped);
void write_reason(struct json_writer *out, const char *key,
                  const struct reason *reason); ///< left out when there is none
void write_runner(struct json_writer *out, const struct runner *runner, const struct runner_report *report);
