// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "store/conn.h"

/// Looks at the database without writing, and refuses what is not ours or is newer than the last of `count` steps.
/// *ret_current says whether nothing is left to do; it is false for an empty file.
bool migrate_check(struct store_conn *conn, const char *path, int count, bool *ret_current, struct err *err);
/// Brings the database that migrate_check accepted up to the last step. `conn` is a writer of its own, closed
/// afterwards: the settings it is left with are not those of the engine's.
bool migrate(struct store_conn *conn, const char *path, const struct store_migration *migrations, int count,
             struct err *err);
