// SPDX-License-Identifier: Apache-2.0
#pragma once

struct api_call;

void comparisons_create(struct api_call *call);
void comparisons_list(struct api_call *call);
void comparisons_get(struct api_call *call);
void gate_get(struct api_call *call);
