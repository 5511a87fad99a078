-- SPDX-License-Identifier: Apache-2.0
-- Regular expressions (PCRE2) for JSON within a longer text: a body behind a request line is not matched by a matcher
-- of JSON, which takes the whole text. Members may stand in any order, and blanks anywhere between tokens.
--
-- Any order is told with empty groups: in (?:A()|B()){2}\1\2 both groups can only be set when each of A and B was one
-- of the two. Text is compared by its characters, non-ASCII ones also as \u escapes; numbers by their digits.

local pattern = require("import.pattern")
local value = require("import.value")

local M = {}

local any_string = [["(?:[^"\\]|\\.)*+"]]
-- Any value, given that the text is JSON.
local any_value = "(?&v)"
local definition = [[(?(DEFINE)(?<v>"(?:[^"\\]|\\.)*+"|[-+.\w]++|[[{](?:\s*+(?&v)\s*+[:,]?)*+\s*+[]}]))]]

local Writer = {}
Writer.__index = Writer

-- ---- scalars ----

local short = { ['"'] = [[\\"]], ["\\"] = [[\\\\]], ["/"] = [[\\?/]], ["\b"] = [[\\b]], ["\f"] = [[\\f]],
  ["\n"] = [[\\n]], ["\r"] = [[\\r]], ["\t"] = [[\\t]] }

local function unit(code)
  return [[\\u]] .. ("%04x"):format(code):gsub("%l", function(letter) return "[" .. letter:upper() .. letter .. "]" end)
end

local function escaped(code)
  if code < 0x10000 then return unit(code) end
  return unit(0xd800 + (code - 0x10000 >> 10)) .. unit(0xdc00 + (code - 0x10000 & 0x3ff))
end

local function string_body(text)
  local out = {}
  for _, code in utf8.codes(text) do
    local char = utf8.char(code)
    if short[char] then
      out[#out + 1] = short[char]
    elseif code < 0x20 or code == 0x7f then
      out[#out + 1] = escaped(code)
    elseif code < 0x80 then
      out[#out + 1] = pattern.escape(char)
    else
      out[#out + 1] = "(?:" .. char .. "|" .. escaped(code) .. ")"
    end
  end
  return table.concat(out)
end

local function quoted(text)
  return '"' .. string_body(text) .. '"'
end

local function number(given)
  if math.type(given) == "float" and given == math.floor(given) and math.abs(given) < 2^53 then
    given = math.tointeger(given)
  end
  if math.type(given) == "integer" then return ("%d(?:\\.0+)?"):format(given) end
  return pattern.escape(value.text(given)) .. "0*"
end

local words = { ["true"] = true, ["false"] = true, ["null"] = true }

function Writer:scalar(given)
  local kind = value.kind(given)
  local loose = self.options.loose
  if kind == "text" then
    local bare = loose and (words[given] or given:find("^-?%d+%.?%d*$"))
    return bare and ("(?:%s|%s)"):format(quoted(given), pattern.escape(given)) or quoted(given)
  end
  local word = kind == "number" and number(given) or kind == "null" and "null" or tostring(given)
  return loose and ('(?:%s|"%s")'):format(word, word) or word
end

-- ---- collections ----

local function refuse(why)
  error({ why = why }, 0)
end

---Alternatives of which each must be there once, separated by commas, with `others` among them any number of times.
---@param writers (fun(writer): string)[]
---@param others string?
---@param last string what ends the list
function Writer:each_once(writers, others, last)
  local branches, marks, seen = {}, {}, {}
  for index, write in ipairs(writers) do
    local text = write(self)
    if seen[text] then refuse("it holds the same item twice, in any order") end
    seen[text] = true
    -- Groups are numbered where they open: the mark comes behind those within the value.
    self.groups = self.groups + 1
    branches[index] = text .. "()"
    marks[index] = "\\g{" .. self.groups .. "}"
  end
  branches[#branches + 1] = others
  return ("(?:(?:%s)\\s*(?:,\\s*(?!%s)|(?=%s))){%d%s}%s"):format(table.concat(branches, "|"), last, last, #writers,
    others and "," or "", table.concat(marks))
end

---@param members { [1]: string, [2]: fun(writer): string }[] names, and what writes their values
function Writer:object(members)
  local extra = self.options.extra
  if #members == 0 then return extra and "(?=\\{)" .. any_value or "\\{\\s*\\}" end
  local writers = {}
  for index, member in ipairs(members) do
    writers[index] = function() return quoted(member[1]) .. "\\s*:\\s*" .. member[2](self) end
  end
  if #members == 1 and not extra then return "\\{\\s*" .. writers[1]() .. "\\s*\\}" end
  return "\\{\\s*" .. self:each_once(writers, extra and any_string .. "\\s*:\\s*" .. any_value or nil, "\\}") .. "\\}"
end

function Writer:array(items)
  local options, writers = self.options, {}
  for index, item in ipairs(items) do writers[index] = function() return self:any(item) end end
  if #items == 0 then return options.extra and "(?=\\[)" .. any_value or "\\[\\s*\\]" end
  if options.extra and not options.any_order and #items > 1 then
    refuse("it has items in order, with others between")
  end
  if options.extra or (options.any_order and #items > 1) then
    return "\\[\\s*" .. self:each_once(writers, options.extra and any_value or nil, "\\]") .. "\\]"
  end
  local written = {}
  for index, write in ipairs(writers) do written[index] = write() end
  return "\\[\\s*" .. table.concat(written, "\\s*,\\s*") .. "\\s*\\]"
end

---Any kind of value.
function Writer:any(given)
  local kind = value.kind(given)
  if kind == "array" then return self:array(given) end
  if kind ~= "object" then return self:scalar(given) end
  local members = {}
  for index, name in ipairs(value.names(given)) do
    members[index] = { name, function() return self:any(given[name]) end }
  end
  return self:object(members)
end

-- ---- whole texts ----

---@param options table as of M.equal
---@param write fun(writer): string
---@return table? test for a body (import.http)
---@return string? why not
local function finish(options, write)
  local ok, text = pcall(write, setmetatable({ groups = 0, options = options or {} }, Writer))
  if not ok then
    if type(text) ~= "table" then error(text, 0) end
    return nil, "the JSON can't be carried: " .. text.why
  end
  if text:find(any_value, 1, true) then text = text .. definition end
  return { text = "\\s*" .. text .. "\\s*", starts = true, ends = true }
end

---@param given any
---@param options { extra: boolean?, any_order: boolean?, loose: boolean? }? extra: others besides these members and
---  items may be there; any_order: of items; loose: numbers and words also as text, and the other way round
---@return table? test for a body
---@return string? why not
function M.equal(given, options)
  return finish(options, function(writer) return writer:any(given) end)
end

---@param expression string
---@return (string|integer)[]? segments of a path that leads to one value: $, .name, ['name'], [0]
function M.path(expression)
  local segments, at = {}, 2
  if expression:sub(1, 1) ~= "$" then return nil end
  while at <= #expression do
    local name, behind = expression:match("^%.([%a_\x80-\xff][%w_\x80-\xff-]*)()", at)
    if not name then name, behind = expression:match("^%['([^'\\]*)'%]()", at) end
    if not name then name, behind = expression:match('^%["([^"\\]*)"%]()', at) end
    if not name then
      name, behind = expression:match("^%[(%d+)%]()", at)
      name = math.tointeger(tonumber(name))
    end
    if not name then return nil end
    segments[#segments + 1] = name
    at = behind
  end
  return segments
end

---What stands at the end of a path; all else may be there too.
---@param segments (string|integer)[] of M.path
---@param given any the value it must equal; nil: any but null
---@param options table? as of M.equal
---@return table? test for a body
---@return string? why not
function M.at(segments, given, options)
  local extra = { extra = true, loose = options and options.loose }
  local function write_from(index, writer)
    local segment = segments[index]
    if segment == nil then
      if given == nil then return "(?!null\\b)" .. any_value end
      writer.options = options or {}
      local text = writer:any(given)
      writer.options = extra
      return text
    end
    if type(segment) == "string" then
      return writer:object({ { segment, function() return write_from(index + 1, writer) end } })
    end
    local others = "\\s*,\\s*" .. any_value
    local before = segment == 0 and "" or ("(?:%s\\s*,\\s*){%d}"):format(any_value, segment)
    return ("\\[\\s*%s%s(?:%s)*\\s*\\]"):format(before, write_from(index + 1, writer), others)
  end
  return finish(extra, function(writer) return write_from(1, writer) end)
end

return M
