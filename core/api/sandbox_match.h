// SPDX-License-Identifier: Apache-2.0
#pragma once

struct api_call;

void scenarios_match(struct api_call *call);
