// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/schema.h"

// What the platform's routes take and answer. Records:
extern const struct schema shape_setup, shape_session, shape_logout, shape_whoami, shape_organization, shape_member,
    shape_membership, shape_token, shape_new_token, shape_audit_entry, shape_audit_report, shape_module_list,
    shape_health, shape_readiness, shape_server_info, shape_openapi;
// Requests:
extern const struct schema shape_setup_request, shape_login_request, shape_organization_request, shape_user_request,
    shape_membership_request, shape_token_request, shape_modules_request;
// Query parameters:
extern const struct schema shape_audit_filter;
