-- SPDX-License-Identifier: Apache-2.0
-- The engine itself: serving, setting up, sessions, health, the audit ledger, modules.

local options = require("cli.options")

local email = { "--email", value = "EMAIL", body = "email", required = true, help = "The user's e-mail address." }

-- Which modules there are, the engine knows; a newer one may have more.
local module = { "name", value = "NAME", suggested = { "sandbox" }, help = "Name of the module, such as sandbox." }

return {
  {
    name = "serve",
    summary = "Serve the HTTP API",
    description = "Runs the engine on the data directory until it is stopped by SIGINT or SIGTERM. At the first "
      .. "start it prints the token that `olivares setup` needs and keeps it in the file setup-token there.",
    options = {
      { "--listen", value = "ADDR:PORT", type = "address",
        help = "Where to listen (default 127.0.0.1:8440); port 0 takes a free one." },
    },
    action = "cli.action.serve",
    examples = { { "olivares serve --listen 127.0.0.1:8440 --data /var/lib/olivares", "Serve from a directory" } },
  },
  {
    name = "setup",
    summary = "Create the first user and the first organization",
    description = "Works once. The setup token is printed by `olivares serve` at its first start; on the same machine "
      .. "it is read from the data directory.",
    route = "POST /v1/setup",
    options = {
      email,
      { "--organization", value = "NAME", body = "organization", help = "Name of the first organization." },
      options.password("of the user"),
      { "--setup-token", value = "TOKEN", body = "token",
        help = "The setup token. Other users of this machine can see it in the list of processes; prefer "
          .. "--setup-token-file." },
      { "--setup-token-file", value = "FILE", file = true,
        help = "Read the setup token from FILE ('-': standard input; default: setup-token in the data directory)." },
      options.save,
    },
    confirm_secret = true,
    action = "cli.action.setup",
    view = { kind = "document" },
    examples = { { "olivares setup --email ada@example.com --organization Example", "Asks for the password" } },
  },
  {
    name = "login",
    summary = "Open a session and get its token",
    route = "POST /v1/auth/login",
    options = { email, options.password("of the user"), options.save },
    action = "cli.action.secret",
    view = { kind = "document" },
    examples = {
      { "olivares login --server https://sandbox.example.com --email ada@example.com --save ~/.olivares-token",
        "Keep the token in a file for --token-file" },
    },
  },
  {
    name = "logout",
    summary = "End the session the token belongs to",
    route = "POST /v1/auth/logout",
    view = { kind = "document" },
  },
  {
    name = "whoami",
    summary = "Show who the commands act as, and where",
    route = "GET /v1/whoami",
    view = { kind = "document" },
  },
  {
    name = "status",
    summary = "Show version, health, runners and modules",
    route = "GET /readyz",
    action = "cli.action.status",
    exits = { 6 },
  },
  {
    name = "audit ls",
    summary = "List the entries of the audit ledger",
    route = "GET /v1/audit",
    lists = true,
    options = {
      { "--action", value = "ACTION", query = "action", help = "Only entries of this action." },
      { "--actor", value = "ACTOR", query = "actor", help = "Only what this actor did." },
    },
    view = {
      kind = "table",
      columns = {
        { "seq", fixed = true, right = true },
        { "occurred_at", title = "TIME", fixed = true, format = "time" },
        { "actor", priority = 2 },
        { "action", priority = 1 },
        { "target", priority = 3 },
        { "details", priority = 4, format = "json" },
      },
    },
    examples = { { "olivares audit ls --action run.launch --order asc", "Oldest first" } },
  },
  {
    name = "audit verify",
    summary = "Recompute the ledger's hash chain and name the first broken entry",
    route = "POST /v1/audit/verify",
    view = { kind = "document" },
    status = function(document) return document.intact and 0 or 1 end,
    exits = { { 1, "also when the chain is broken" } },
  },
  {
    name = "modules ls",
    summary = "List the modules and whether they are on",
    route = "GET /v1/console/modules",
    view = { kind = "table", columns = {
      { "name", fixed = true }, { "enabled", fixed = true }, { "summary", priority = 1 } } },
  },
  {
    name = "modules on",
    summary = "Switch a module on for the tenant",
    arguments = { module },
    route = "PUT /v1/console/modules",
    body = function(arguments) return { modules = { [arguments.name] = true } } end,
    view = { kind = "table", columns = {
      { "name", fixed = true }, { "enabled", fixed = true }, { "summary", priority = 1 } } },
    examples = { { "olivares modules on sandbox", nil } },
  },
  {
    name = "modules off",
    summary = "Switch a module off for the tenant; its data is kept",
    arguments = { module },
    route = "PUT /v1/console/modules",
    body = function(arguments) return { modules = { [arguments.name] = false } } end,
    view = { kind = "table", columns = {
      { "name", fixed = true }, { "enabled", fixed = true }, { "summary", priority = 1 } } },
  },
}
