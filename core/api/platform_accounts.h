// SPDX-License-Identifier: Apache-2.0
#pragma once

struct api_call;

void orgs_create(struct api_call *call);
void orgs_list(struct api_call *call);
void users_create(struct api_call *call);
void memberships_set(struct api_call *call);
