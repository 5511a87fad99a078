// SPDX-License-Identifier: Apache-2.0
#pragma once

struct api_call;

void tokens_create(struct api_call *call);
void tokens_list(struct api_call *call);
void tokens_revoke(struct api_call *call);
