// SPDX-License-Identifier: Apache-2.0
#pragma once

struct api_call;

// Handlers of /v1/m/sandbox, by file; the table is in sandbox_routes.c.

void scenarios_list(struct api_call *call);
void scenarios_get(struct api_call *call);
void scenarios_create(struct api_call *call);
void scenarios_update(struct api_call *call);
void scenarios_archive(struct api_call *call);
void scenarios_restore(struct api_call *call);
