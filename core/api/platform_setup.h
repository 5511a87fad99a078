// SPDX-License-Identifier: Apache-2.0
#pragma once

struct api_call;

void setup_create(struct api_call *call);
