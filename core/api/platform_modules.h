// SPDX-License-Identifier: Apache-2.0
#pragma once

struct api_call;

void modules_list(struct api_call *call);
void modules_switch(struct api_call *call);
