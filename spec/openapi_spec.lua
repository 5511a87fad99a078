-- SPDX-License-Identifier: Apache-2.0
-- The description of the API that the engine serves: that docs/openapi.json is it, that it is a well-formed OpenAPI 3.1
-- document, and that the engine's own answers are as described.

local cjson = require("cjson")
local cli = require("spec.support.cli")
local json_schema = require("spec.support.json_schema")
local server = require("spec.support.server")

local source = os.getenv("OLIVARES_SRC") or "."

-- Code -> status, as the API promises it.
local statuses = {
  bad_request = "400", unauthenticated = "401", forbidden = "403", not_found = "404", module_off = "404",
  conflict = "409", setup_required = "409", setup_complete = "409", request_body_too_large = "413",
  invalid_script = "422", rate_limited = "429", internal = "500", unavailable = "503", isolation_unavailable = "503",
}
local methods = { get = true, post = true, put = true, delete = true }

local function set_of(list)
  local set = {}
  for _, name in ipairs(list) do
    assert(not set[name], name .. " twice")
    set[name] = true
  end
  return set
end

local function only(object, names, place)
  local known = set_of(names)
  for name in pairs(object) do assert(known[name], ("%s: unknown member %s"):format(place, tostring(name))) end
end

describe("the OpenAPI document", function()
  local engine, served, document

  setup(function()
    engine = server.start()
    served = engine:get("/openapi.json", { token = false })
    document = served.json
  end)
  teardown(function() engine:remove() end)

  ---Calls visit(operation, path, method) for every operation.
  local function each_operation(visit)
    for path, item in pairs(document.paths) do
      for method, operation in pairs(item) do visit(operation, path, method) end
    end
  end

  local function whole(value) return value["$ref"] and json_schema.resolve(document, value["$ref"]) or value end

  ---Calls visit(schema, place) for every schema of the document, at any depth.
  local function each_schema(visit)
    local function enter(schema, place)
      visit(schema, place)
      for keyword, takes in pairs(json_schema.keywords) do
        local value = schema[keyword]
        if takes == "schema" and type(value) == "table" then enter(value, place .. "/" .. keyword) end
        for name, inner in pairs(takes == "schemas" and value or {}) do
          enter(inner, ("%s/%s/%s"):format(place, keyword, name))
        end
      end
    end
    local function enter_content(holder, place)
      for media, content in pairs(holder.content or {}) do enter(content.schema, place .. "/" .. media) end
      for name, header in pairs(holder.headers or {}) do enter(header.schema, place .. "/" .. name) end
    end
    for name, schema in pairs(document.components.schemas) do enter(schema, name) end
    for name, parameter in pairs(document.components.parameters) do enter(parameter.schema, name) end
    for name, response in pairs(document.components.responses) do enter_content(response, name) end
    each_operation(function(operation, path, method)
      local place = method .. " " .. path
      for _, parameter in ipairs(operation.parameters) do
        if not parameter["$ref"] then enter(parameter.schema, place .. " " .. parameter.name) end
      end
      if operation.requestBody then enter_content(operation.requestBody, place) end
      for status, response in pairs(operation.responses) do enter_content(response, place .. " " .. status) end
    end)
  end

  it("is served as it stands in docs/openapi.json", function()
    assert.equal(200, served.status)
    assert.is_true(served.body .. "\n" == cli.read(source .. "/docs/openapi.json"),
      "docs/openapi.json is not what the engine serves; write it anew with tools/write_openapi.lua")
  end)

  it("has the members of a document, and no others", function()
    only(document, { "openapi", "info", "tags", "paths", "components" }, "document")
    assert.matches("^3%.1%.%d+$", document.openapi)
    only(document.info, { "title", "summary", "description", "version", "license" }, "info")
    assert.equal("Apache-2.0", document.info.license.identifier)
    only(document.components, { "schemas", "responses", "parameters", "securitySchemes" }, "components")
    assert.equal("bearer", document.components.securitySchemes.bearer.scheme)
    for _, kind in pairs(document.components) do
      for name in pairs(kind) do assert.matches("^[%w._-]+$", name) end
    end
  end)

  it("refers to nothing that is not there, and has no component that nothing refers to", function()
    local used = {}
    local function walk(value)
      if type(value) ~= "table" then return end
      if type(value["$ref"]) == "string" then
        assert(json_schema.resolve(document, value["$ref"]), value["$ref"])
        used[value["$ref"]] = true
      end
      for _, inner in pairs(value) do walk(inner) end
    end
    walk(document)
    for kind, components in pairs(document.components) do
      for name in pairs(kind ~= "securitySchemes" and components or {}) do
        -- The error of a path or method without an operation has no operation to be referred to by.
        local outer = name == "Error" or name == "ErrorBody"
        assert(outer or used[("#/components/%s/%s"):format(kind, name)], name .. " is not used")
      end
    end
  end)

  it("has operations with an id of their own, known tags and methods", function()
    local ids, tags = {}, {}
    for _, tag in ipairs(document.tags) do tags[#tags + 1] = tag.name end
    tags = set_of(tags)
    local tags_used = {}
    each_operation(function(operation, path, method)
      assert(methods[method], method)
      only(operation, { "operationId", "summary", "description", "tags", "security", "parameters", "requestBody",
        "responses" }, path)
      ids[#ids + 1] = operation.operationId
      assert.matches("^[%w_]+%.[%w_]+$", operation.operationId)
      assert.matches("%.$", operation.summary)
      for _, tag in ipairs(operation.tags) do
        assert(tags[tag], tag)
        tags_used[tag] = true
      end
      for _, requirement in ipairs(operation.security) do
        assert(document.components.securitySchemes[next(requirement)], path)
      end
    end)
    set_of(ids)
    assert.same(tags, tags_used)
    assert.is_true(#ids >= 38)
  end)

  it("declares the parameters of every path, and each parameter once", function()
    each_operation(function(operation, path, method)
      local declared, in_path = {}, {}
      for _, shared in ipairs(operation.parameters) do
        local parameter = whole(shared)
        only(parameter, { "name", "in", "description", "required", "schema" }, path)
        declared[#declared + 1] = parameter["in"] .. " " .. parameter.name
        assert(parameter.schema, parameter.name)
        if parameter["in"] == "path" then
          assert.is_true(parameter.required)
          in_path[parameter.name] = true
        else
          assert(parameter["in"] == "query" or parameter["in"] == "header", method)
        end
      end
      set_of(declared)
      local named = {}
      for name in path:gmatch("{([%w_]+)}") do named[name] = true end
      assert.same(named, in_path)
    end)
  end)

  it("describes every response, with statuses and codes of the API", function()
    each_operation(function(operation, path, method)
      local successes = 0
      for status, shared in pairs(operation.responses) do
        local response, place = whole(shared), ("%s %s %s"):format(method, path, status)
        only(response, { "description", "headers", "content" }, place)
        assert(#response.description > 0, place)
        assert(next(response.content), place)
        local json = response.content["application/json"]
        local errors = shared["$ref"] and json.schema.properties.error.properties.code.enum
        if status == "405" then
          assert.equal("#/components/responses/MethodNotAllowed", shared["$ref"])
          assert.same({ "bad_request" }, errors)
          assert.is_truthy(response.headers.Allow)
        elseif errors then
          assert(#errors > 0)
          for _, code in ipairs(errors) do assert.equal(status, statuses[code], place) end
        else
          assert(status:find("^20[012]$") or (status == "503" and path == "/readyz"), place)
          successes = successes + 1
        end
      end
      assert(operation.responses["405"], path)
      assert(successes > 0, path)
    end)
  end)

  it("gives bodies to the methods that take one", function()
    each_operation(function(operation, path, method)
      local body = operation.requestBody
      if not body then return end
      assert(method == "post" or method == "put", path)
      only(body, { "required", "content" }, path)
      assert.equal("boolean", type(body.required))
      assert.equal("application/json", next(body.content))
    end)
  end)

  it("uses only keywords of JSON Schema, rightly", function()
    local seen = 0
    each_schema(function(schema, place)
      seen = seen + 1
      for keyword in pairs(schema) do
        assert(json_schema.keywords[keyword] ~= nil, ("%s: unknown keyword %s"):format(place, keyword))
      end
      if schema["$ref"] then
        only(schema, { "$ref", "description" }, place)
        return
      end
      local kinds = { string = 1, integer = 1, number = 1, boolean = 1, array = 1, object = 1 }
      assert(schema.type == nil or kinds[schema.type], place)
      assert((schema.properties == nil and schema.additionalProperties == nil) or schema.type == "object", place)
      assert(schema.items == nil or schema.type == "array", place)
      for _, name in ipairs(schema.required or {}) do assert(schema.properties[name], place .. ": " .. name) end
      set_of(schema.required or {})
      if schema.enum then
        assert(#schema.enum > 0, place)
        set_of(schema.enum)
      end
      assert((schema.minimum or 0) <= (schema.maximum or math.huge), place)
      if schema.oneOf then
        only(schema, { "oneOf", "description" }, place)
        local types = {}
        for index, alternative in ipairs(schema.oneOf) do types[index] = whole(alternative).type end
        assert.is_true(#types > 1 and #types == #schema.oneOf, place)
        set_of(types) -- so that no value can be of two alternatives
      end
    end)
    assert.is_true(seen > 500)
  end)

  it("says what the engine answers", function()
    assert.equal(200, engine:request("PUT", "/v1/console/modules", { json = { modules = { sandbox = true } } }).status)
    -- Mocks of every kind, and steps that leave every kind of evidence.
    local catastrophe = ("a"):rep(40) .. "!"
    local scenario = engine:post("/v1/m/sandbox/scenarios", {
      name = "described",
      steps = { { input = "a" }, { input = "b" }, { input = "B" }, { input = '{"id":2}' }, { input = "kb:1" },
        { input = "kb:1" }, { input = ("x"):rep(9000) }, { input = catastrophe } },
      mocks = { { resource = "a", response = "A", required = true },
        { json = { path = { ["$.id"] = 1 } }, response = { fault = "timeout" }, required = true },
        { all = { { prefix = "kb:" }, { none = { { suffix = "2" } } } }, exhausted = "cycle", delay_ms = 3,
          responses = { "one", { fault = "error", text = "503", delay_ms = 4 } } },
        { glob = "kb:*", response = "any", times = 1 },
        { resource = ("x"):rep(9001), response = "X" },
        { regex = "^(a+)+$", response = "only a" } },
      variants = { other = { mocks = { { resource = "b", response = "B" } } } },
    }).json
    local compared = engine:post("/v1/m/sandbox/compare",
      { scenario_ref = scenario.id, baseline_variant = "base", candidate_variant = "other" })
    assert.equal(201, compared.status, compared.body)
    local matching = document.paths["/v1/m/sandbox/scenarios/{id}/match"].post.responses["200"]
    for _, step in ipairs(scenario.steps) do
      local found = engine:post("/v1/m/sandbox/scenarios/" .. scenario.id .. "/match",
        { input = step.input, variant = "other" })
      assert.equal(200, found.status, found.body)
      assert.is_nil(json_schema.check(document, matching.content["application/json"].schema, found.json, "match"))
    end
    local ids = { scenarios = scenario.id, comparisons = compared.json.id, runs = compared.json.baseline_run_ref }
    local held = 0
    each_operation(function(operation, path, method)
      if method ~= "get" then return end
      local filled = path:gsub("/([%w_]+)/{id}", function(kind) return ("/%s/%s"):format(kind, ids[kind]) end)
      if path:find("/gate$") then filled = filled .. "?scenario_ref=" .. scenario.id end
      local found = engine:get(filled)
      assert.equal(200, found.status, filled .. ": " .. found.body)
      local content = operation.responses["200"].content[found.headers["content-type"]]
      assert(content, ("%s answers %s"):format(filled, found.headers["content-type"]))
      if not found.json then return end
      assert.is_nil(json_schema.check(document, content.schema, found.json, filled))
      held = held + 1
    end)
    assert.is_true(held >= 15)
  end)

  it("says what a mock is: answers of two kinds, matchers within matchers", function()
    local mock = { ["$ref"] = "#/components/schemas/Mock" }
    local function fault_of(value) return json_schema.check(document, mock, value, "mock") end
    local deep = { prefix = "x" }
    for _ = 1, 7 do deep = { any = { deep, { json = { partial = { id = 1 } } } } } end
    for _, answer in ipairs({ "", "x", { text = "x" }, { fault = "huge", text = "x", delay_ms = 1 } }) do
      assert.is_nil(fault_of({ resource = "r", response = answer }))
      assert.is_nil(fault_of({ match = deep, responses = { answer, answer }, exhausted = "repeat" }))
    end
    deep.any[1].any[1].any[2] = { prefixx = "x" }
    assert.equal("mock.match.any[0].any[0].any[1]: prefixx is not described",
      fault_of({ match = deep, response = "x" }))
    assert.equal("no alternative takes it: mock.response: no string; mock.response: no object",
      fault_of({ resource = "r", response = 1 }))
    assert.equal("no alternative takes it: mock.responses[1]: no string; "
      .. "mock.responses[1].fault: none is not in the list",
      fault_of({ resource = "r", responses = { "x", { fault = "none" } } }))
    assert.equal("mock.responses: too few", fault_of({ resource = "r", responses = {} }))
  end)

  it("says what an attestation is, and lets backends say more", function()
    local attestation = document.components.schemas.Attestation
    local known = {}
    for name, schema in pairs(attestation.properties) do known[name] = schema.type end
    assert.same({ runner = "string", isolation = "string", reaches = "array", measured = "array" }, known)
    assert.is_true(attestation.additionalProperties)
    assert.is_nil(attestation.required)
    assert.equal("#/components/schemas/Attestation",
      document.components.schemas.Run.properties.attestation["$ref"])
  end)

  it("says what the answer to another method is", function()
    local found = engine:request("PATCH", "/healthz")
    assert.equal(405, found.status)
    local response = whole(document.paths["/healthz"].get.responses["405"])
    assert.is_nil(json_schema.check(document, response.content["application/json"].schema, found.json, "405"))
    assert.is_nil(json_schema.check(document, response.headers.Allow.schema, found.headers.allow, "Allow"))
  end)

  it("says what refusals are", function()
    local found = engine:get("/v1/whoami", { token = false })
    local response = whole(document.paths["/v1/whoami"].get.responses["401"])
    local schema = response.content["application/json"].schema
    assert.is_nil(json_schema.check(document, schema, found.json, "401"))
    local other = cjson.decode((found.body:gsub("unauthenticated", "forbidden")))
    assert.equal("401.error.code: forbidden is not in the list", json_schema.check(document, schema, other, "401"))
  end)
end)
