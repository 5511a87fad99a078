// SPDX-License-Identifier: Apache-2.0
#pragma once

struct api_call;

void scenarios_run(struct api_call *call);
void runs_replay(struct api_call *call);
void runs_list(struct api_call *call);
void runs_get(struct api_call *call);
void runs_outputs(struct api_call *call);
void runs_stream(struct api_call *call);
void runs_cancel(struct api_call *call);
void runs_verify(struct api_call *call);
