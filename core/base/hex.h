// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Lower-case hexadecimal, two digits a byte, for the text forms of ids and digests.

/// Writes `2 * len` digits, no NUL; returns the position behind them.
char *hex_write(char *to, const uint8_t *bytes, size_t len);

/// Reads `2 * len` digits. False, and `to` undefined, when one of them is not a lower-case hexadecimal digit.
bool hex_read(const char *text, uint8_t *to, size_t len);
