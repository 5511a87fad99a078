// SPDX-License-Identifier: Apache-2.0
// The shape of a mock as a stranger may send it; what a shape can't say (exactly one of these) is in mock_read.c.
// "resource_whole" is not part of it: only the engine, which saw the whole text before it was cut, may say what a
// resource was cut from.
#include "mock/mock.h"

#define MEMBERS(...)                                                                                                   \
  (const struct schema_member[]) {                                                                                     \
    __VA_ARGS__, {                                                                                                     \
      0                                                                                                                \
    }                                                                                                                  \
  }

// ---- what it answers ----

static const struct schema shape_any = {.kind = SCHEMA_ANY};
static const struct schema resource_shape = {
    .kind = SCHEMA_STRING,
    .doc = "The text of a request, compared byte by byte.",
    .non_empty = true,
    .max_bytes = MOCK_RESOURCE_MAX_BYTES,
};
// A pattern that was cut would match more than was meant, so it is refused.
static const struct schema pattern_shape = {
    .kind = SCHEMA_STRING, .non_empty = true, .max_bytes = MOCK_RESOURCE_MAX_BYTES, .strict_bytes = true};
static const struct schema glob_shape = {
    .kind = SCHEMA_STRING, .non_empty = true, .max_bytes = MOCK_PATTERN_MAX_BYTES, .strict_bytes = true};
static const struct schema regex_shape = {
    .kind = SCHEMA_STRING, .non_empty = true, .max_bytes = MOCK_PATTERN_MAX_BYTES, .strict_bytes = true};

static const struct schema path_values_shape = {.kind = SCHEMA_MAP, .items = &shape_any};
static const struct schema json_matcher_shape = {
    .kind = SCHEMA_OBJECT,
    .name = "JsonMatcher",
    .doc = "Exactly one of the members. The request's text is read as JSON; one that is no JSON does not match.",
    .members =
        MEMBERS({"equal", &shape_any, false, "Means the same: order of members and spelling of numbers aside."},
                {"partial", &shape_any, false, "Has at least these members, and of arrays these items in this order."},
                {"path", &path_values_shape, false,
                 "JSON path (RFC 9535: $, .name, ['name'], [0], [-1], [*], .*) to value; each must lead to an "
                 "equal value."}),
};

static const struct schema matchers_shape = {.kind = SCHEMA_ARRAY, .items = &matcher_shape, .non_empty = true};

#define MATCHER_MEMBERS                                                                                                \
  {"prefix", &pattern_shape, false, "What the request begins with."},                                                  \
      {"suffix", &pattern_shape, false, "What the request ends with."},                                                \
      {"contains", &pattern_shape, false, "What the request has somewhere."},                                          \
      {"glob", &glob_shape, false,                                                                                     \
       "The whole request: * any text within a line, ** across lines, ? one character, \\ takes the next as it is."},  \
      {"regex", &regex_shape, false, "PCRE2; not anchored unless it says so, $ is the very end."},                     \
      {"json", &json_matcher_shape, false, NULL}, {"all", &matchers_shape, false, "Every one of these matches."},      \
      {"any", &matchers_shape, false, "At least one of these matches."}, {                                             \
    "none", &matchers_shape, false, "Not one of these matches."                                                        \
  }

const struct schema matcher_shape = {
    .kind = SCHEMA_OBJECT,
    .name = "Matcher",
    .doc = "Which requests are answered: exactly one of the members. Text is never trimmed, folded or normalised.",
    .members = MEMBERS({"resource", &pattern_shape, false, "The whole request."}, MATCHER_MEMBERS),
};

// ---- how it answers ----

static const struct schema text_shape = {
    .kind = SCHEMA_STRING, .doc = "The text of an answer; may be empty.", .max_bytes = MOCK_RESPONSE_MAX_BYTES};
static const struct schema fault_shape = {.kind = SCHEMA_STRING, .values = mock_fault_names + 1};
static const struct schema delay_shape = {.kind = SCHEMA_INTEGER, .bounded = true, .min = 0, .max = MOCK_DELAY_MAX_MS};
static const struct schema answer_object_shape = {
    .kind = SCHEMA_OBJECT,
    .name = "MockAnswer",
    .doc = "An answer with more to say than its text. At least one of text and fault.",
    .members = MEMBERS({"text", &text_shape, false, "What the agent receives; with a fault, what the fault works on."},
                       {"fault", &fault_shape, false, "What goes wrong."},
                       {"delay_ms", &delay_shape, false, "On the run's virtual clock; instead of the mock's."}),
};
static const struct schema *const answer_kinds[] = {&text_shape, &answer_object_shape, NULL};
static const struct schema answer_shape = {.kind = SCHEMA_ONE_OF, .alternatives = answer_kinds};
static const struct schema answers_shape = {.kind = SCHEMA_ARRAY, .items = &answer_shape, .non_empty = true};
static const struct schema exhausted_shape = {.kind = SCHEMA_STRING, .values = mock_exhausted_names};
static const struct schema times_shape = {.kind = SCHEMA_INTEGER, .bounded = true, .min = 1, .max = MOCK_TIMES_MAX};
static const struct schema required_shape = {.kind = SCHEMA_BOOLEAN};

#define ANSWER_MEMBERS                                                                                                 \
  {"response", &answer_shape, false, "What the agent receives; the empty text is an answer, not a miss."},             \
      {"responses", &answers_shape, false, "One after the other, counted in each run for itself."},                    \
      {"exhausted", &exhausted_shape, false,                                                                           \
       "Behind the last of responses: miss (the default: as if the mock were not there), repeat the last, or cycle "   \
       "from the first."},                                                                                             \
      {"times", &times_shape, false, "Answers at most so often in a run."},                                            \
      {"required", &required_shape, false, "Listed in the run's unused_mocks when it answered nothing."}, {            \
    "delay_ms", &delay_shape, false, "How long each answer takes on the run's virtual clock."                          \
  }

const struct schema mock_shape = {
    .kind = SCHEMA_OBJECT,
    .name = "Mock",
    .doc = "An answer to requests. What it answers is exactly one of resource, match, or a matcher's own member; how, "
           "exactly one of response and responses. Mocks with a resource are asked first, then the others as written; "
           "the first that answers wins.",
    .members = MEMBERS({"resource", &resource_shape, false,
                        "The request it answers: equal to the last byte, never trimmed, folded or normalised."},
                       {"match", &matcher_shape, false, "The requests it answers."}, MATCHER_MEMBERS, ANSWER_MEMBERS,
                       {"fault", &fault_shape, false, "Short for a response with this fault; its text is response."}),
};

static const struct schema digest_shape = {.kind = SCHEMA_STRING};
const struct schema mock_stored_shape = {
    .kind = SCHEMA_OBJECT,
    .name = "StoredMock",
    .doc = "A mock as it is kept: a matcher's own member stands in match.",
    .members = MEMBERS({"resource", &resource_shape, false, NULL},
                       {"resource_whole", &digest_shape, false, "SHA-256 of the resource as sent, when it was cut."},
                       {"match", &matcher_shape, false, NULL}, ANSWER_MEMBERS),
};
