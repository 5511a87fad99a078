// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "mock/matcher.h"

/// The smallest sum of folds (fold.h) after which a pattern or a JSON matcher would match the request, or 0. Looked for
/// with a bounded number of steps, for what is going to be shown only.
unsigned near_fold_matcher(const struct matcher *matcher, struct str text);
