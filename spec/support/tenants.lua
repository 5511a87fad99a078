-- SPDX-License-Identifier: Apache-2.0
-- A server with two tenants and somebody of every role, and what is in a tenant's store, so that a spec can tell that a
-- refused request left nothing behind.

local clients = require("spec.support.client")
local servers = require("spec.support.server")

local M = {}

M.roles = { "viewer", "editor", "admin", "owner" }

local Tenants = {}
Tenants.__index = Tenants

---@return table client of an API token in a tenant
function Tenants:client(role, tenant, lifetime_s)
  local made = self.root:request("POST", "/v1/tokens", {
    json = { name = role, role = role, tenant = tenant, expires_in_s = lifetime_s },
    headers = { ["X-Olivares-Tenant"] = tenant },
  })
  assert(made.status == 201, made.body)
  local client = clients.new(self.server, made.json.token)
  client.token_id = made.json.id
  self.clients[#self.clients + 1] = client
  return client
end

---Fields of what is returned: server; viewer, editor, admin, owner: clients in the first tenant; stranger: an owner of
---the second; root: the first user, who is a superadmin and must name a tenant; tenant, other_tenant: their ids.
---@return table
function M.start()
  local self = setmetatable({ server = servers.start(), clients = {} }, Tenants)
  self.root = clients.new(self.server)
  self.tenant = self.server.tenant
  self.other_tenant = self.root:must(201, "POST", "/v1/system/orgs", { name = "Other", slug = "other" }).tenant_id
  for _, role in ipairs(M.roles) do self[role] = self:client(role, self.tenant) end
  self.stranger = self:client("owner", self.other_tenant)
  for _, owner in ipairs({ self.owner, self.stranger }) do
    owner:must(200, "PUT", "/v1/console/modules", { modules = { sandbox = true } })
  end
  return self
end

---How much there is of everything in the first tenant.
---@return table<string, integer>
function Tenants:stored()
  local count = {}
  for _, list in ipairs({ "scenarios", "runs", "comparisons" }) do
    count[list] = #self.owner:all("/v1/m/sandbox/" .. list)
  end
  count.tokens = #self.owner:all("/v1/tokens")
  count.ledger = self.owner:must(200, "GET", "/v1/audit?limit=1").items[1].seq
  return count
end

function Tenants:remove()
  for _, client in ipairs(self.clients) do client:close() end
  self.root:close()
  self.server:remove()
end

return M
