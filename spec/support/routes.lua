-- SPDX-License-Identifier: Apache-2.0
-- The routes as the engine's own /openapi.json lists them, so that what must hold for every route is tested on every
-- route, a new one too.

local M = {}

---@class route
---@field name string "POST /v1/…", for a spec's title
---@field method string
---@field path string with "{id}" where it takes one
---@field operation string
---@field role string? the least role; nil when it takes no tenant
---@field superadmin boolean
---@field token boolean whether it takes one
---@field paged boolean
---@field query table<string, table> schema by name, without limit, cursor and order
---@field body boolean whether it takes one
---@field needs_body boolean whether it takes no less

local function resolved(document, node)
  while node["$ref"] do
    local at = document
    for key in node["$ref"]:gmatch("[^#/]+") do at = at[key] end
    node = at
  end
  return node
end

local function read_parameters(document, operation, route)
  for _, parameter in ipairs(operation.parameters) do
    parameter = resolved(document, parameter)
    if parameter["in"] == "query" then route.query[parameter.name] = resolved(document, parameter.schema) end
  end
  route.paged = route.query.cursor ~= nil
  if route.paged then route.query.limit, route.query.cursor, route.query.order = nil, nil, nil end
end

---@param document table of /openapi.json
---@return route[] routes by name
function M.read(document)
  local routes = {}
  for path, methods in pairs(document.paths) do
    for method, operation in pairs(methods) do
      local route = { method = method:upper(), path = path, operation = operation.operationId, query = {} }
      route.name = route.method .. " " .. path
      route.role = operation.description:match("Needs the role (%l+)")
      route.superadmin = operation.description:find("Needs a superadmin", 1, true) ~= nil
      route.token = #operation.security > 0
      route.body = operation.requestBody ~= nil
      route.needs_body = route.body and operation.requestBody.required
      read_parameters(document, operation, route)
      routes[#routes + 1] = route
    end
  end
  table.sort(routes, function(a, b) return a.name < b.name end)
  return routes
end

return M
