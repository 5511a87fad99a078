// SPDX-License-Identifier: Apache-2.0
// The shape of a mock as a stranger may send it. "resource_whole" is not part of it: only the engine, which saw the
// whole text before it was cut, may say what a resource was cut from (mock_set.c reads it from stored mocks).
#include "mock/mock.h"

enum { RESOURCE_MAX_BYTES = 8192, RESPONSE_MAX_BYTES = 65536 };

static const struct schema resource_shape = {
    .kind = SCHEMA_STRING,
    .doc = "The text of a request, compared byte by byte.",
    .non_empty = true,
    .max_bytes = RESOURCE_MAX_BYTES,
};

static const struct schema response_shape = {
    .kind = SCHEMA_STRING,
    .doc = "The text of an answer; may be empty.",
    .max_bytes = RESPONSE_MAX_BYTES,
};

static const struct schema_member members[] = {
    {"resource", &resource_shape, true,
     "The request it answers: equal to the last byte, never trimmed, folded or normalised."},
    {"response", &response_shape, true, "What the agent receives; the empty text is an answer, not a miss."},
    {0},
};

const struct schema mock_shape = {
    .kind = SCHEMA_OBJECT,
    .name = "Mock",
    .doc = "An answer to one resource. Of several mocks for the same resource the first one answers.",
    .members = members,
};
