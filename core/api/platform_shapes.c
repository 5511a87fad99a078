// SPDX-License-Identifier: Apache-2.0
// The shapes of the platform's documents and requests.
#include "api/platform_shapes.h"

#include "access/accounts.h"
#include "access/principal.h"
#include "api/shapes.h"
#include "sandbox/limits.h"

#define MEMBERS(...)                                                                                                   \
  (const struct schema_member[]) {                                                                                     \
    __VA_ARGS__, {                                                                                                     \
      0                                                                                                                \
    }                                                                                                                  \
  }

// Nothing of an account is cut to its limit: a name that is not the one that was sent would only surprise.
static const struct schema shape_account_name = {
    .kind = SCHEMA_STRING, .non_empty = true, .max_bytes = NAME_MAX_BYTES, .strict_bytes = true};
static const struct schema shape_email = {
    .kind = SCHEMA_STRING, .format = "email", .non_empty = true, .max_bytes = EMAIL_MAX_BYTES, .strict_bytes = true};
static const struct schema shape_new_password = {
    .kind = SCHEMA_STRING, .doc = "From 10 bytes.", .max_bytes = PASSWORD_MAX_BYTES, .strict_bytes = true};
static const struct schema shape_password = {
    .kind = SCHEMA_STRING, .non_empty = true, .max_bytes = PASSWORD_MAX_BYTES, .strict_bytes = true};
static const struct schema shape_slug = {.kind = SCHEMA_STRING,
                                         .doc = "Lower-case letters, digits, inner hyphens; unique.",
                                         .non_empty = true,
                                         .max_bytes = SLUG_MAX_BYTES,
                                         .strict_bytes = true};
static const struct schema shape_role = {
    .kind = SCHEMA_STRING, .values = role_names, .doc = "Each role includes the ones before it."};
static const struct schema shape_secret = {.kind = SCHEMA_STRING, .doc = "Shown once; stored as a hash."};

// ---- accounts ----

#define USER_HEAD                                                                                                      \
  {"id", &shape_id, true, NULL}, {"email", &shape_text, true, NULL}, {"display_name", &shape_text, false, NULL},       \
      {"superadmin", &shape_bool, true, NULL}, {                                                                       \
    "created_at", &shape_time, true, NULL                                                                              \
  }

static const struct schema shape_user = {.kind = SCHEMA_OBJECT, .name = "User", .members = MEMBERS(USER_HEAD)};

const struct schema shape_organization = {
    .kind = SCHEMA_OBJECT,
    .name = "Organization",
    .doc = "An organization and its tenant, in which all its data is.",
    .members = MEMBERS({"id", &shape_id, true, NULL}, {"tenant_id", &shape_id, true, "What X-Olivares-Tenant names."},
                       {"name", &shape_text, true, NULL}, {"slug", &shape_text, true, NULL},
                       {"created_at", &shape_time, true, NULL}),
};
const struct schema shape_organization_request = {
    .kind = SCHEMA_OBJECT,
    .name = "OrganizationRequest",
    .members = MEMBERS({"name", &shape_account_name, true, NULL}, {"slug", &shape_slug, true, NULL}),
};

const struct schema shape_member = {
    .kind = SCHEMA_OBJECT,
    .name = "Member",
    .doc = "A user with the membership that was made for them.",
    .members = MEMBERS(USER_HEAD, {"tenant", &shape_id, true, NULL}, {"role", &shape_role, true, NULL}),
};
const struct schema shape_user_request = {
    .kind = SCHEMA_OBJECT,
    .name = "UserRequest",
    .members = MEMBERS({"email", &shape_email, true, NULL}, {"password", &shape_new_password, true, NULL},
                       {"display_name", &shape_account_name, false, NULL},
                       {"tenant", &shape_id, false, "Default: the request's tenant."},
                       {"role", &shape_role, false, "Default: viewer."}),
};

const struct schema shape_membership = {
    .kind = SCHEMA_OBJECT,
    .name = "Membership",
    .members = MEMBERS({"user_id", &shape_id, true, NULL}, {"tenant", &shape_id, true, NULL},
                       {"role", &shape_role, true, NULL}),
};
const struct schema shape_membership_request = {
    .kind = SCHEMA_OBJECT,
    .name = "MembershipRequest",
    .members =
        MEMBERS({"user_id", &shape_id, true, NULL}, {"tenant", &shape_id, false, "Default: the request's tenant."},
                {"role", &shape_role, true, NULL}),
};

// ---- setup, login, who is asking ----

const struct schema shape_setup = {
    .kind = SCHEMA_OBJECT,
    .name = "Setup",
    .doc = "The first user and organization, and a login session to go on with.",
    .members = MEMBERS({"user", &shape_user, true, NULL}, {"organization", &shape_organization, true, NULL},
                       {"token", &shape_secret, true, NULL}, {"expires_at", &shape_time, true, NULL}),
};
const struct schema shape_setup_request = {
    .kind = SCHEMA_OBJECT,
    .name = "SetupRequest",
    .members = MEMBERS({"token", &shape_text, false,
                        "The one-time token that `olivares serve` printed. Not needed in process, without a server."},
                       {"email", &shape_email, true, NULL}, {"password", &shape_new_password, true, NULL},
                       {"organization", &shape_account_name, false, "Name of the organization."}),
};

const struct schema shape_session = {
    .kind = SCHEMA_OBJECT,
    .name = "Session",
    .members = MEMBERS({"token", &shape_secret, true, NULL}, {"expires_at", &shape_time, true, NULL},
                       {"user", &shape_user, true, NULL}),
};
const struct schema shape_login_request = {
    .kind = SCHEMA_OBJECT,
    .name = "LoginRequest",
    .members = MEMBERS({"email", &shape_email, true, NULL}, {"password", &shape_password, true, NULL}),
};
const struct schema shape_logout = {
    .kind = SCHEMA_OBJECT, .name = "Logout", .members = MEMBERS({"logged_out", &shape_bool, true, NULL})};

static const char *const principal_kinds[] = {"user", "token", "local", NULL};
static const struct schema shape_principal_kind = {.kind = SCHEMA_STRING, .values = principal_kinds};
static const struct schema shape_place = {
    .kind = SCHEMA_OBJECT,
    .name = "WhoamiMembership",
    .members = MEMBERS({"tenant", &shape_id, true, NULL}, {"organization", &shape_text, true, "Its name."},
                       {"slug", &shape_text, true, NULL}, {"role", &shape_role, true, NULL}),
};
static const struct schema shape_places = {.kind = SCHEMA_ARRAY, .items = &shape_place};
const struct schema shape_whoami = {
    .kind = SCHEMA_OBJECT,
    .name = "Whoami",
    .members =
        MEMBERS({"kind", &shape_principal_kind, true, NULL},
                {"actor", &shape_text, true, "What the ledger and the records name."},
                {"user", &shape_user, false, "With kind user."}, {"superadmin", &shape_bool, true, NULL},
                {"tenant", &shape_id, false, "Where requests go that name no tenant, or the one that was named."},
                {"role", &shape_role, false, "In that tenant."},
                {"memberships", &shape_places, true, "The tenants that can be entered."}),
};

// ---- API tokens ----

#define TOKEN_HEAD                                                                                                     \
  {"id", &shape_id, true, NULL}, {"tenant", &shape_id, true, NULL}, {"name", &shape_text, true, NULL},                 \
      {"role", &shape_role, true, NULL}, {"created_at", &shape_time, true, NULL},                                      \
      {"expires_at", &shape_time, false, "Absent: never."}, {                                                          \
    "created_by", &shape_text, true, NULL                                                                              \
  }

const struct schema shape_token = {
    .kind = SCHEMA_OBJECT,
    .name = "Token",
    .doc = "An API token without its secret.",
    .members = MEMBERS(TOKEN_HEAD, {"revoked_at", &shape_time, false, NULL}),
};
const struct schema shape_new_token = {
    .kind = SCHEMA_OBJECT, .name = "NewToken", .members = MEMBERS(TOKEN_HEAD, {"token", &shape_secret, true, NULL})};
static const struct schema shape_lifetime = {
    .kind = SCHEMA_INTEGER, .bounded = true, .min = 1, .max = 100 * 365 * 86400LL};
const struct schema shape_token_request = {
    .kind = SCHEMA_OBJECT,
    .name = "TokenRequest",
    .members = MEMBERS({"name", &shape_account_name, true, NULL},
                       {"tenant", &shape_id, false, "Default: the request's tenant."},
                       {"role", &shape_role, true, "At most your own."},
                       {"expires_in_s", &shape_lifetime, false, "Absent: never expires."}),
};

// ---- the ledger ----

static const struct schema shape_details = {.kind = SCHEMA_MAP};
const struct schema shape_audit_filter = {.kind = SCHEMA_STRING, .non_empty = true, .max_bytes = NAME_MAX_BYTES};
const struct schema shape_audit_entry = {
    .kind = SCHEMA_OBJECT,
    .name = "AuditEntry",
    .doc = "Something that was done in the tenant, chained to the entry before.",
    .members = MEMBERS({"seq", &shape_count, true, "From 1, without gaps."}, {"id", &shape_id, true, NULL},
                       {"occurred_at", &shape_time, true, NULL},
                       {"actor", &shape_text, true, "user:<id>, token:<id>, local or engine."},
                       {"action", &shape_text, true, NULL}, {"target", &shape_text, false, NULL},
                       {"details", &shape_details, true, "Free-form: each action has members of its own."},
                       {"previous_hash", &shape_digest, true, NULL}, {"hash", &shape_digest, true, NULL}),
};

static const char *const audit_faults[] = {"intact", "edited", "missing", "reordered", "tail_removed", NULL};
static const struct schema shape_audit_fault = {.kind = SCHEMA_STRING, .values = audit_faults};
static const struct schema shape_first_bad = {
    .kind = SCHEMA_OBJECT,
    .name = "AuditFirstBad",
    .members = MEMBERS({"seq", &shape_count, true, NULL}, {"id", &shape_id, false, "Absent when the entry is gone."}),
};
const struct schema shape_audit_report = {
    .kind = SCHEMA_OBJECT,
    .name = "AuditReport",
    .doc = "What recomputing the chain of hashes found.",
    .members = MEMBERS({"intact", &shape_bool, true, NULL}, {"fault", &shape_audit_fault, true, NULL},
                       {"entries", &shape_count, true, "Entries found."},
                       {"first_bad", &shape_first_bad, false, "The first entry that is wrong or gone."},
                       {"head", &shape_digest, true, "Hash of the newest entry found; zeros for an empty ledger."},
                       {"message", &shape_text, true, NULL}),
};

// ---- modules ----

static const struct schema shape_module = {
    .kind = SCHEMA_OBJECT,
    .name = "Module",
    .members = MEMBERS({"name", &shape_text, true, NULL}, {"enabled", &shape_bool, true, NULL},
                       {"summary", &shape_text, true, NULL}),
};
static const struct schema shape_modules = {.kind = SCHEMA_ARRAY, .items = &shape_module};
const struct schema shape_module_list = {
    .kind = SCHEMA_OBJECT,
    .name = "ModuleList",
    .members = MEMBERS({"items", &shape_modules, true, NULL}, {"has_more", &shape_bool, true, NULL}),
};
static const struct schema shape_switches = {.kind = SCHEMA_MAP, .items = &shape_bool};
const struct schema shape_modules_request = {
    .kind = SCHEMA_OBJECT,
    .name = "ModulesRequest",
    .members = MEMBERS({"modules", &shape_switches, true, "Name of each module to switch: true for on."}),
};

// ---- the engine itself ----

static const char *const health_statuses[] = {"ok", NULL};
static const struct schema shape_health_status = {.kind = SCHEMA_STRING, .values = health_statuses};
const struct schema shape_health = {
    .kind = SCHEMA_OBJECT, .name = "Health", .members = MEMBERS({"status", &shape_health_status, true, NULL})};

static const char *const readiness_statuses[] = {"ready", "draining", "unwritable", NULL};
static const struct schema shape_readiness_status = {.kind = SCHEMA_STRING, .values = readiness_statuses};
static const struct schema shape_store_state = {
    .kind = SCHEMA_OBJECT,
    .name = "StoreState",
    .members = MEMBERS({"writable", &shape_bool, true, NULL}, {"queue", &shape_count, true, "Mutations that wait."}),
};
static const struct schema shape_runner_state = {
    .kind = SCHEMA_OBJECT,
    .name = "RunnerState",
    .members = MEMBERS({"name", &shape_text, true, NULL}, {"available", &shape_bool, true, NULL}),
};
static const struct schema shape_runner_states = {.kind = SCHEMA_ARRAY, .items = &shape_runner_state};
const struct schema shape_readiness = {
    .kind = SCHEMA_OBJECT,
    .name = "Readiness",
    .members = MEMBERS({"status", &shape_readiness_status, true, NULL}, {"schema_version", &shape_count, true, NULL},
                       {"store", &shape_store_state, true, NULL}, {"runners", &shape_runner_states, true, NULL}),
};

static const struct schema shape_limits = {
    .kind = SCHEMA_OBJECT,
    .name = "Limits",
    .members = MEMBERS(
        {"body_bytes", &shape_count, true, "Of a request."}, {"page_items", &shape_count, true, "Of a list's page."},
        {"name_bytes", &shape_count, true, NULL}, {"ref_bytes", &shape_count, true, "Also of a description."},
        {"input_bytes", &shape_count, true, "Of a step's input or a mock's resource."},
        {"output_bytes", &shape_count, true, "Of a mock's response or a step's output."},
        {"evidence_bytes", &shape_count, true, "Of all that one run records."}),
};
const struct schema shape_server_info = {
    .kind = SCHEMA_OBJECT,
    .name = "ServerInfo",
    .members = MEMBERS({"name", &shape_text, true, NULL}, {"version", &shape_text, true, NULL},
                       {"api", &shape_text, true, NULL}, {"schema_version", &shape_count, true, "Of the database."},
                       {"setup_required", &shape_bool, true, NULL}, {"limits", &shape_limits, true, NULL}),
};

const struct schema shape_openapi = {.kind = SCHEMA_MAP, .doc = "An OpenAPI 3.1 document."};
