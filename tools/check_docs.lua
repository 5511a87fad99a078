-- SPDX-License-Identifier: Apache-2.0
-- Checks that what the documents point at exists: relative links, their anchors, and paths of this tree written in
-- backticks. That routes, commands and reason codes are described truly is compared with the program by specs.
-- Usage: lua5.4 tools/check_docs.lua [ROOT]      Prints "file:line: rule"; exit status 1 when there is one.

package.path = arg[0]:gsub("[^/]*$", "?.lua;") .. package.path
local tree = require("tree")

-- A word in backticks that starts with one of these is a path of the tree.
local house = {
  core = true, docs = true, lua = true, policies = true, runners = true, scenarios = true, scripts = true, spec = true,
  tools = true,
}

-- Calls visit(number, line) for every line outside fenced code.
local function each_prose_line(text, visit)
  local number, fence = 0, nil
  for line in (text:gsub("\r", "") .. "\n"):gmatch("([^\n]*)\n") do
    number = number + 1
    local mark = line:match("^%s*(```+)") or line:match("^%s*(~~~+)")
    if fence then
      if mark and mark:sub(1, #fence) == fence then fence = nil end
    elseif mark then
      fence = mark
    else
      visit(number, line)
    end
  end
end

-- The anchor GitHub gives a heading: lower case, punctuation (ASCII, and the dashes, quotes, arrows and signs of
-- U+0080 to U+00BF, U+00D7 and U+2000 to U+2BFF) dropped, spaces as hyphens.
local function slug_of(heading)
  local text = heading:gsub("%s+#*%s*$", ""):gsub("`", ""):gsub("%[([^%]]*)%]%b()", "%1")
  text = text:lower():gsub("[^%w%s_\128-\255-]", "")
  text = text:gsub("\xE2[\x80-\xAF][\x80-\xBF]", ""):gsub("\xC2[\x80-\xBF]", ""):gsub("\xC3\x97", "")
  return (text:gsub("%s", "-"))
end

local function anchors_of(text)
  local anchors, count = {}, {}
  each_prose_line(text, function(_, line)
    local heading = line:match("^#+%s+(.*)$")
    if heading then
      local slug = slug_of(heading)
      local seen = count[slug]
      count[slug] = (seen or 0) + 1
      anchors[seen and slug .. "-" .. seen or slug] = true
    end
    for id in line:gmatch('<a%s+[in][da]m?e?="([^"]+)"') do anchors[id] = true end
  end)
  return anchors
end

-- "docs", "../README.md" -> "README.md"; nil when it leaves the tree.
local function resolve(folder, target)
  local parts = {}
  local joined = target:sub(1, 1) == "/" and target or folder .. "/" .. target
  for part in joined:gmatch("[^/]+") do
    if part == ".." then
      if #parts == 0 then return nil end
      parts[#parts] = nil
    elseif part ~= "." then
      parts[#parts + 1] = part
    end
  end
  return table.concat(parts, "/")
end

local function link_violation(root, document, target)
  if target:match("^%a[%w+.-]*:") then return nil end
  local path, anchor = target:match("^([^#]*)#?(.*)$")
  path = path:gsub("%?.*$", ""):gsub("%%(%x%x)", function(hex) return string.char(tonumber(hex, 16)) end)
  local resolved = document
  if path ~= "" then
    resolved = resolve(document:match("^(.*)/[^/]*$") or "", path)
    if not resolved then return ("link to %s leaves the tree"):format(target) end
    if not tree.exists(root, resolved) then return ("link to %s: there is no %s"):format(target, resolved) end
  end
  if anchor ~= "" and resolved:match("%.md$") and not anchors_of(tree.read(root, resolved))[anchor] then
    return ("link to %s: %s has no heading with that anchor"):format(target, resolved)
  end
  return nil
end

-- A path with a placeholder or a pattern in it names no single file.
local function path_violation(root, code)
  local word = code:match("^%.?/?([%w_.-]+/[^%s`]*)")
  if not word or not house[word:match("^[^/]+")] then return nil end
  word = word:gsub("[.,:;]+$", ""):gsub(":%d+$", "")
  if word:find("[*<>{}$]") or word:find("…", 1, true) then return nil end
  if tree.exists(root, (word:gsub("/$", ""))) then return nil end
  return ("there is no %s"):format(word)
end

---@param root string
---@param document string path relative to root
---@return integer violations
local function check_document(root, document)
  local violations = 0
  local function report(number, rule)
    if not rule then return end
    violations = violations + 1
    print(("%s:%d: %s"):format(document, number, rule))
  end
  each_prose_line(tree.read(root, document), function(number, line)
    for code in line:gmatch("`([^`]+)`") do report(number, path_violation(root, code)) end
    local prose = line:gsub("``.-``", ""):gsub("`[^`]*`", "")
    for target in prose:gmatch("%]%(<?([^%s)>]+)[^)]*%)") do report(number, link_violation(root, document, target)) end
    local reference = prose:match("^%s*%[[^%]]+%]:%s*<?([^%s>]+)")
    if reference then report(number, link_violation(root, document, reference)) end
  end)
  return violations
end

local root = arg[1] or "."
local documents, violations = 0, 0
tree.each_file(root, "", "%.md$", function(document)
  documents = documents + 1
  violations = violations + check_document(root, document)
end)
print(("check_docs: %d documents, %d violations"):format(documents, violations))
if documents == 0 then io.stderr:write("check_docs: no document under ", root, "\n") end
os.exit(documents > 0 and violations == 0)
