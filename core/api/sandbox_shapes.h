// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/schema.h"

// What the module's routes take and answer. Records:
extern const struct schema shape_scenario, shape_scenario_item, shape_run, shape_output, shape_comparison, shape_runner,
    shape_runner_list, shape_match, shape_verification, shape_gate, shape_samples;
// Requests:
extern const struct schema shape_scenario_request, shape_match_request, shape_run_request, shape_replay_request,
    shape_compare_request, shape_generate_request;
// Query parameters:
extern const struct schema shape_scenario_status, shape_run_kind, shape_run_status, shape_verdict, shape_variant_param,
    shape_age;
