// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdbool.h>

#include "base/buf.h"

/// Appends the OpenAPI 3.1 document (https://spec.openapis.org/oas/v3.1.0) of all route tables, without blanks; the
/// same bytes for the same tables and version. False when it did not fit.
bool openapi_write(const char *version, struct buf *out);
