// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "access/audit.h"

/// The hash of an entry as if it stood at `seq`, by the formula of audit.h: over the row's other fields, its
/// previous_hash included, its hash not. Times before 1970 have no text and hash as "".
struct digest audit_chain_hash(struct id tenant, int64_t seq, const struct audit_row *row);
