// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stddef.h>

enum { JSON_NUMBER_MAX = 32 };

/// Writes a finite number as ECMAScript prints it (ECMA-262, Number::toString; RFC 8785, section 3.2.2.3): the shortest
/// digits that read back equal, in plain notation from 1e-6 up to 1e21. Returns the length; a NUL follows.
size_t json_number(double value, char ret_text[JSON_NUMBER_MAX]);
