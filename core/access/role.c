// SPDX-License-Identifier: Apache-2.0
// Names of roles. The numbers behind them are stored: they never change.
#include "access/principal.h"

const char *const role_names[] = {"viewer", "editor", "admin", "owner", NULL};

const char *role_name(enum role role) {
  switch (role) {
  case ROLE_NONE: return "none";
  case ROLE_VIEWER:
  case ROLE_EDITOR:
  case ROLE_ADMIN:
  case ROLE_OWNER: return role_names[role - ROLE_VIEWER];
  }
  return "none";
}

bool role_parse(struct str text, enum role *ret_role) {
  for (unsigned i = 0; role_names[i]; i++) {
    if (!str_eq(text, str_c(role_names[i]))) continue;
    *ret_role = (enum role)(ROLE_VIEWER + i);
    return true;
  }
  return false;
}
