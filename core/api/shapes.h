// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/schema.h"

// The shapes of what goes over the wire that more than one route table uses.

extern const struct schema shape_id;     ///< a UUIDv7
extern const struct schema shape_time;   ///< RFC 3339, nine fractional digits
extern const struct schema shape_digest; ///< SHA-256, hexadecimal
extern const struct schema shape_text;   ///< any string
extern const struct schema shape_name;   ///< non-empty, 200 bytes
extern const struct schema shape_ref;    ///< non-empty, 1024 bytes
extern const struct schema shape_bool;
extern const struct schema shape_count; ///< an integer from 0
extern const struct schema shape_number;
extern const struct schema shape_empty; ///< {}
extern const struct schema shape_error; ///< the error document
extern const struct schema shape_error_details;
extern const char *const error_codes[]; ///< what its code can be, NULL-terminated
