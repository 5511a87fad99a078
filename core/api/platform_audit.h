// SPDX-License-Identifier: Apache-2.0
#pragma once

struct api_call;

void audit_get(struct api_call *call);
void audit_check(struct api_call *call);
