// SPDX-License-Identifier: Apache-2.0
// The shapes that every route table shares.
#include "api/shapes.h"

#include "sandbox/limits.h"

const struct schema shape_id = {.kind = SCHEMA_STRING, .format = "uuid"};
const struct schema shape_time = {.kind = SCHEMA_STRING, .format = "date-time"};
const struct schema shape_digest = {.kind = SCHEMA_STRING, .doc = "SHA-256 in lower-case hexadecimal."};
const struct schema shape_text = {.kind = SCHEMA_STRING};
const struct schema shape_name = {.kind = SCHEMA_STRING, .non_empty = true, .max_bytes = NAME_MAX_BYTES};
const struct schema shape_ref = {.kind = SCHEMA_STRING, .non_empty = true, .max_bytes = REF_MAX_BYTES};
const struct schema shape_bool = {.kind = SCHEMA_BOOLEAN};
const struct schema shape_count = {.kind = SCHEMA_INTEGER, .bounded = true, .min = 0, .max = SEED_MAX};
const struct schema shape_number = {.kind = SCHEMA_NUMBER};
const struct schema shape_empty = {.kind = SCHEMA_OBJECT, .members = (const struct schema_member[]){{0}}};

// By enum err_code, without ERR_NONE; test_shapes.c holds it against err_code_name.
const char *const error_codes[] = {
    "bad_request",
    "unauthenticated",
    "forbidden",
    "not_found",
    "conflict",
    "setup_required",
    "setup_complete",
    "request_body_too_large",
    "invalid_script",
    "rate_limited",
    "module_off",
    "internal",
    "unavailable",
    "isolation_unavailable",
    NULL,
};
static const struct schema shape_error_code = {.kind = SCHEMA_STRING, .values = error_codes};
const struct schema shape_error_details = {
    .kind = SCHEMA_OBJECT,
    .name = "ErrorDetails",
    .members =
        (const struct schema_member[]){
            {"place", &shape_text, false, "What of the request is at fault: a member's path, a parameter's name."},
            {"retry_after_s", &shape_count, false, "With rate_limited: seconds until another try makes sense."},
            {0},
        },
};
static const struct schema shape_error_body = {
    .kind = SCHEMA_OBJECT,
    .name = "ErrorBody",
    .members =
        (const struct schema_member[]){
            {"code", &shape_error_code, true, "Stable; what a program looks at."},
            {"message", &shape_text, true, "One sentence for people; may change."},
            {"details", &shape_error_details, false, NULL},
            {0},
        },
};
const struct schema shape_error = {
    .kind = SCHEMA_OBJECT,
    .name = "Error",
    .doc = "Every answer that is not a success.",
    .members = (const struct schema_member[]){{"error", &shape_error_body, true, NULL}, {0}},
};
