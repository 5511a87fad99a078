// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "store/conn.h"

/// The read transaction that the loop's reads of one turn share.
struct snapshot {
  struct store_conn *conn; // borrowed
  struct loop_timer *end_of_turn;
  uint64_t version;
};

void snapshot_init(struct snapshot *snapshot, struct store_conn *conn, struct loop *loop);
void snapshot_done(struct snapshot *snapshot); ///< also of one that is zeroed
/// Begins one, until the loop's next turn, unless there is one of this version already.
void snapshot_take(struct snapshot *snapshot, uint64_t version);
