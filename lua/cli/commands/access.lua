-- SPDX-License-Identifier: Apache-2.0
-- Organizations, users, memberships and API tokens.

local options = require("cli.options")

local function role(required)
  return { "--role", value = "ROLE", choices = options.roles, body = "role", required = required,
    help = "viewer reads, editor also writes, admin and owner also administer." }
end

return {
  {
    name = "orgs ls",
    summary = "List the organizations",
    route = "GET /v1/system/orgs",
    lists = true,
    view = {
      kind = "table",
      columns = {
        { "id", fixed = true },
        { "tenant_id", title = "TENANT", fixed = true, priority = 1 },
        { "slug", priority = 1 },
        { "name", priority = 2 },
        { "created_at", title = "CREATED", fixed = true, priority = 3, format = "time" },
      },
    },
  },
  {
    name = "orgs create",
    summary = "Create an organization and its tenant",
    route = "POST /v1/system/orgs",
    options = {
      { "--name", value = "NAME", body = "name", required = true, help = "Name for people." },
      { "--slug", value = "SLUG", body = "slug", required = true,
        help = "Short name: lower case letters, digits, hyphens." },
    },
    view = { kind = "document" },
    examples = { { "olivares orgs create --name 'Example GmbH' --slug example", nil } },
    exits = { 5 },
  },
  {
    name = "users create",
    summary = "Create a user and make them a member of the tenant",
    route = "POST /v1/users",
    options = {
      { "--email", value = "EMAIL", body = "email", required = true, help = "The address they log in with." },
      { "--display-name", value = "NAME", body = "display_name", help = "Name for people." },
      role(false),
      options.password("of the user"),
    },
    confirm_secret = true,
    view = { kind = "document" },
    examples = { { "olivares users create --email grace@example.com --role editor", "Asks for the password" } },
    exits = { 5 },
  },
  {
    name = "memberships set",
    summary = "Set a user's role in the tenant",
    arguments = { { "user", value = "USER_ID", help = "Id of the user." } },
    options = { role(true) },
    route = "POST /v1/memberships",
    body = function(arguments) return { user_id = arguments.user } end,
    view = { kind = "document" },
  },
  {
    name = "tokens ls",
    summary = "List the API tokens of the tenant",
    route = "GET /v1/tokens",
    lists = true,
    view = {
      kind = "table",
      columns = {
        { "id", fixed = true },
        { "name", priority = 1 },
        { "role", fixed = true, priority = 1 },
        { "created_at", title = "CREATED", fixed = true, priority = 3, format = "time" },
        { "expires_at", title = "EXPIRES", fixed = true, priority = 2, format = "time" },
        { "revoked_at", title = "REVOKED", fixed = true, priority = 2, format = "time" },
      },
    },
  },
  {
    name = "tokens create",
    summary = "Create an API token, which is shown once",
    route = "POST /v1/tokens",
    options = {
      { "--name", value = "NAME", body = "name", required = true, help = "What the token is for." },
      role(true),
      { "--expires-in", value = "SECONDS", type = "integer", min = 1, body = "expires_in_s",
        help = "Seconds until it expires; without it, it does not." },
      options.save,
    },
    action = "cli.action.secret",
    view = { kind = "document" },
    examples = { { "olivares tokens create --name ci --role editor --expires-in 2592000 --save ci-token", nil } },
  },
  {
    name = "tokens revoke",
    summary = "Revoke an API token",
    arguments = { { "id", value = "ID", help = "Id of the token." } },
    route = "DELETE /v1/tokens/{id}",
    view = { kind = "document" },
  },
}
