// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdbool.h>

#include "base/err.h"

/// Loads libmicrohttpd. Before this has succeeded once, none of its functions may be called; more calls change nothing.
/// ERR_UNAVAILABLE when the library is not there or not the one this program was built for.
bool mhd_load(struct err *err);
