-- SPDX-License-Identifier: Apache-2.0
-- Regular expressions (PCRE2) for a part of a text, made from what other tools match that part with. Those tools look
-- at the part alone; here the rest of the text stands around it, so nothing may match beyond the part's end, and "^"
-- and "$" are only understood where they are the whole pattern's first and last character.

local M = {}

---What can't stand in a part, as written in a character class. A body reaches to the end, so nothing is kept out of it.
M.parts = { path = "?\\n", target = "\\n", query = "\\n", parameter = "&\\n", body = "" }

---@param text string
---@return string regular expression that matches it and nothing else
function M.escape(text)
  return (text:gsub("[%^%$%.%*%+%?%(%)%[%]%{%}%|\\]", "\\%0"))
end

-- ---- text in a URL ----

local function percent_encoded(byte)
  return ("%%%02X"):format(byte):gsub("%u", function(letter) return "[" .. letter .. letter:lower() .. "]" end)
end

---Text as a request line may have it: what needs not be percent-encoded as it is, anything else either way.
---@param text string decoded
---@param part "path"|"parameter"
---@return string regular expression
function M.encoded(text, part)
  local plain = part == "path" and "[%w%-%._~/:@!%$&'%(%)%*%+,;=%%]" or "[%w%-%._~]"
  local never = part == "path" and "[?#\n]" or "[&#+%%\n]"
  return (text:gsub(".", function(char)
    if char:find(plain) then return M.escape(char) end
    local encoded = percent_encoded(char:byte())
    if char:find(never) then return encoded end
    if char == " " and part == "parameter" then return "(?: |\\+|" .. encoded .. ")" end
    if char:byte() >= 0x80 then return encoded end
    return "(?:" .. M.escape(char) .. "|" .. encoded .. ")"
  end))
end

-- ---- regular expressions of other tools ----

-- Escapes that mean the same everywhere and stand for one character, or for a place between characters.
local plain_escapes = "[%p%ddwbBtrnfaexck]"
-- Those that stand for more than one kind of character, so that they may match what is not in the part.
local wide_escapes = "[sSDW]"

local Reading = {}
Reading.__index = Reading

local function refuse(why)
  error({ why = why }, 0)
end

function Reading:add(text, length)
  self.out[#self.out + 1] = text
  self.at = self.at + length
end

---A guard in front of something that might match what is not in the part.
function Reading:guard()
  return self.apart == "" and "" or "(?![" .. self.apart .. "])"
end

function Reading:escape()
  local letter = self.regex:sub(self.at + 1, self.at + 1)
  if letter == "" then refuse("it ends in a backslash") end
  local unicode = self.regex:match("^\\u(%x%x%x%x)", self.at)
  if unicode then return self:add("\\x{" .. unicode .. "}", 6) end
  if letter == "A" and self.at == 1 then
    self.starts = true
    return self:add("", 2)
  end
  if (letter == "z" or letter == "Z") and self.at == #self.regex - 1 then
    self.ends = true
    return self:add("", 2)
  end
  if letter == "p" then return self:add("\\p", 2) end
  if letter:find(wide_escapes) then return self:add(self:guard() .. "\\" .. letter, 2) end
  if not letter:find(plain_escapes) then refuse("'\\" .. letter .. "' in it means not the same everywhere") end
  if self.apart:find(letter, 1, true) and letter:find("%p") then return self:add("(?!)", 2) end
  return self:add("\\" .. letter, 2)
end

---Whether a class holds letters, digits and ranges of them only.
local function is_tame(body)
  body = body:gsub("\\[dw]", ""):gsub("%l%-%l", ""):gsub("%u%-%u", ""):gsub("%d%-%d", "")
  return body:find("^[%w_%.]*%-?$") ~= nil
end

function Reading:class()
  local at, regex = self.at + 1, self.regex
  local negated = regex:sub(at, at) == "^"
  if negated then at = at + 1 end
  if regex:sub(at, at) == "]" then refuse("a class in it is empty") end
  local body = {}
  while regex:sub(at, at) ~= "]" do
    local char = regex:sub(at, at)
    local piece = char
    if char == "" then refuse("a class in it has no end") end
    if char == "[" then
      piece = regex:match("^%[:%^?%a+:%]", at) or refuse("a class in it holds another class")
    elseif char == "\\" then
      piece = regex:match("^\\[%p%ddwsSDWtrnfa]", at) or refuse("an escape in a class means not the same everywhere")
    elseif regex:find("^&&", at) then
      refuse("a class in it is an intersection")
    end
    body[#body + 1] = piece
    at = at + #piece
  end
  local text = table.concat(body)
  if negated then return self:add("[^" .. self.apart .. text .. "]", at + 1 - self.at) end
  return self:add((is_tame(text) and "" or self:guard()) .. "[" .. text .. "]", at + 1 - self.at)
end

function Reading:group()
  local flags = self.regex:match("^%(%?([%a%-]+)[:%)]", self.at)
  if flags and flags:find("[^is%-]") then refuse("flags in it change what it means") end
  if self.regex:find("^%(%?<[=!]", self.at) then refuse("it looks behind") end
  if self.regex:find("^%(%*", self.at) then refuse("it has a verb") end
  self.flags = self.flags or self.regex:find("^%(%?[is%-]+%)", self.at) ~= nil
  self.depth = self.depth + 1
  return self:add("(", 1)
end

function Reading:anchor(char)
  -- Behind nothing but flags for the whole is the beginning too.
  local first = self.at == 1 or self.regex:sub(1, self.at - 1):find("^%(%?[is%-]+%)$")
  if char == "^" and first then
    self.starts = true
  elseif char == "$" and self.at == #self.regex then
    self.ends = true
  else
    refuse("'" .. char .. "' stands in the middle of it")
  end
  return self:add("", 1)
end

function Reading:step()
  local char = self.regex:sub(self.at, self.at)
  if char == "\\" then return self:escape() end
  if char == "[" then return self:class() end
  if char == "(" then return self:group() end
  if char == "^" or char == "$" then return self:anchor(char) end
  if char == "." and self.apart ~= "" then return self:add("[^" .. self.apart .. "]", 1) end
  if char == ")" then self.depth = self.depth - 1 end
  if char == "|" and self.depth == 0 then self.splits = true end
  if char == "&" and self.apart:find("&", 1, true) then return self:add("(?!)", 1) end
  return self:add(char, 1)
end

---Rewrites a regular expression of Java, JavaScript or Go so that it stays within a part.
---@param regex string
---@param apart string what can't stand in the part, of M.parts
---@return table? found { text, starts, ends, whole }: whether it must begin and end where the part does, and whether it
---  can stand among others without a group around it
---@return string? why not
function M.within(regex, apart)
  local reading = setmetatable({ regex = regex, apart = apart, at = 1, depth = 0, out = {} }, Reading)
  local ok, failure = pcall(function()
    while reading.at <= #regex do reading:step() end
    if reading.depth ~= 0 then refuse("its parentheses don't match") end
    if reading.splits and (reading.starts or reading.ends) then refuse("only one of its branches is anchored") end
  end)
  if not ok then
    if type(failure) ~= "table" then error(failure, 0) end
    return nil, "the regular expression can't be carried: " .. failure.why
  end
  return { text = table.concat(reading.out), starts = reading.starts or false, ends = reading.ends or false,
    whole = not reading.splits and not reading.flags }
end

return M
