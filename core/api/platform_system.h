// SPDX-License-Identifier: Apache-2.0
#pragma once

struct api_call;

void system_health(struct api_call *call);
void system_ready(struct api_call *call);
void system_metrics(struct api_call *call);
void system_openapi(struct api_call *call);
void system_info(struct api_call *call);
