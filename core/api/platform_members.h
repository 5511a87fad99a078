// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdbool.h>

#include "access/principal.h"
#include "base/id.h"

struct api_call;

// Members of a body that several routes share. False with call->err, at the member.

bool id_member(struct api_call *call, const char *member, struct id *ret_id); ///< zero when absent
bool tenant_member(struct api_call *call, struct id *ret_tenant);             ///< absent: the tenant of the request
enum role role_member(struct api_call *call, enum role otherwise);            ///< its shape was checked before
