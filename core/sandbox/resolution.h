// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/json_writer.h"
#include "mock/mock.h"

/// Writes who answered a request, and why, as members of an open object: mock_hit, mock, matched_by, use, fault,
/// delay_ms, matcher_limit, candidates, candidates_omitted. The same on a run's calls and in a dry run.
void resolution_write(struct json_writer *out, const struct mock_set *mocks, const struct mock_answer *answer);

/// Writes the members near_misses (nothing when there are none) and near_misses_skipped (likewise) of a request that
/// nobody answered.
void resolution_write_near(struct json_writer *out, const struct mock_set *mocks, const struct mock_near_miss *near,
                           size_t count, size_t skipped);
