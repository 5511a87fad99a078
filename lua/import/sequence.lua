-- SPDX-License-Identifier: Apache-2.0
-- Stubs that answer by turns, each in a state of which it leads to the next: a sequence, when nothing else moves it.

local M = {}

---@param stubs { key: string, from: string?, to: string? }[] key: what is answered; from: the state it answers in, nil
---  for any; to: the state it leads to, nil for none
---@param initial string
---@return table[]? stubs in their order
---@return string exhausted "miss", "repeat" or "cycle"; or why they are no sequence
function M.chain(stubs, initial)
  local by_state = {}
  for _, stub in ipairs(stubs) do
    if stub.key ~= stubs[1].key then return nil, "different requests move it" end
    if not stub.from then return nil, "one of its stubs answers in any state" end
    if by_state[stub.from] then return nil, "two of its stubs answer in the same state" end
    by_state[stub.from] = stub
  end
  local chain, seen, state, exhausted = {}, {}, initial, "miss"
  while by_state[state] do
    local stub = by_state[state]
    seen[state] = true
    chain[#chain + 1] = stub
    local behind = stub.to or state
    if behind == state then exhausted = "repeat" break end
    if seen[behind] then
      if behind ~= initial then return nil, "it leads back into its middle" end
      exhausted = "cycle"
      break
    end
    state = behind
  end
  if #chain < #stubs then return nil, "one of its states is never reached" end
  return chain, exhausted
end

return M
