// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "access/principal.h"

/// The modules of this engine that a tenant's owner can switch. All start off; switching never touches data.
struct module_info {
  const char *name, *summary;
};
extern const struct module_info module_infos[]; ///< ends with a NULL name

bool module_known(struct str name);
bool module_enabled(struct store_conn *conn, struct id tenant, const char *name, bool *ret_enabled, struct err *err);
/// Appends to the ledger only when something changes. `name` must be known.
bool module_switch(struct store_conn *conn, const struct principal *by, struct str name, bool enabled, int64_t now_ns,
                   struct err *err);

/// Engine-wide secrets kept in the database (32 random bytes made at first use), e.g. "cursor". Writer connection.
bool engine_secret(struct store_conn *conn, const char *name, uint8_t ret_secret[32], struct err *err);
/// The same for a reader; false in `*ret_found` when not made yet.
bool engine_secret_read(struct store_conn *conn, const char *name, uint8_t ret_secret[32], bool *ret_found,
                        struct err *err);
