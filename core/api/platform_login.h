// SPDX-License-Identifier: Apache-2.0
#pragma once

struct api_call;

void auth_login(struct api_call *call);
void auth_logout(struct api_call *call);
void whoami_get(struct api_call *call);
