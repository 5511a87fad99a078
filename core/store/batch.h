// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "store/conn.h"

/// What became of a batch as a whole. Each operation's own fate is in the operation.
enum batch_result {
  BATCH_IDLE,    ///< there was nothing to write
  BATCH_WRITTEN, ///< something was written, and is durable
  BATCH_LOST,    ///< the storage failed: no operation took effect
};

/// Applies the operations of the list in their order inside one transaction and commits it. Sets `ok` and `err` of
/// each. With BATCH_LOST fills `why`.
enum batch_result batch_commit(struct store_conn *conn, struct store_op *batch, struct err *why);
/// Says of every operation of the list that it failed.
void batch_fail(struct store_op *batch, const struct err *why);
/// Writes something that changes nothing, to find out whether the storage takes it.
bool batch_probe(struct store_conn *conn, struct err *why);
