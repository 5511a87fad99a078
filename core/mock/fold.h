// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdbool.h>

#include "base/buf.h"
#include "base/str.h"

// What people overlook when two texts look the same. Only ever used to explain a miss: matching itself folds nothing.

enum fold {
  FOLD_TRIM = 1,    ///< blanks, line ends and byte order marks around the text
  FOLD_CASE = 2,    ///< letters that differ in case only (Unicode case folding)
  FOLD_UNICODE = 4, ///< characters written in several ways (Unicode NFKC)
  FOLD_ALL = FOLD_TRIM | FOLD_CASE | FOLD_UNICODE,
};

/// Writes the folded text into `out` (cleared first). `folds` is a sum of enum fold; `text` is well-formed UTF-8.
void fold_text(struct str text, unsigned folds, struct buf *out);

/// Whether `holds` is true of the folded texts after every fold; `folded` is the text after fold_text with FOLD_ALL.
bool fold_all_holds(struct str wanted, struct str folded, bool (*holds)(struct str wanted, struct str text));

/// The smallest sum of folds after which `holds(wanted, text)` is true of the folded texts, or 0 when there is none, or
/// none is needed.
unsigned fold_until(struct str wanted, struct str text, bool (*holds)(struct str wanted, struct str text));
