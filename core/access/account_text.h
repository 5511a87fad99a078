// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "access/accounts.h"

/// An e-mail as stored and looked up: checked, ASCII letters in lower case.
struct email {
  char text[EMAIL_MAX_BYTES + 1];
  size_t len;
};
bool email_fold(struct str email, struct email *ret_email, struct err *err); ///< refuses what email_check refuses
struct str email_str(const struct email *email);                             ///< borrowed

/// A slug made of a name: its ASCII letters and digits in lower case, single hyphens for all between, cut to
/// SLUG_MAX_BYTES; "organization" when nothing is left.
void slug_from_name(struct str name, char ret_slug[SLUG_MAX_BYTES + 1]);
