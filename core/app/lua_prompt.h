// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"

/// Asks at the controlling terminal for one line that is not shown, and appends it to `line` (an initialised buffer)
/// without its line feed. False with ERR_BAD_REQUEST when there is no terminal, the input ends or the line is too long.
/// An interrupt at the prompt puts the terminal back before it ends the process.
bool prompt_secret(const char *prompt, struct buf *line, struct err *err);
