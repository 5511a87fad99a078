-- SPDX-License-Identifier: Apache-2.0
-- The script wrk runs, for every measurement over HTTP: wrk … URL -- METHOD PATHS_FILE TOKEN_FILE [COUNT]
--
-- Each line of PATHS_FILE is a path; they are asked for in turn. A POST has the body {"wait":true}. With COUNT the load
-- ends after that many answers rather than after the time given to wrk. The last line printed is for the bench:
-- "load: key=value …".
-- luacheck: globals wrk init request response done

local function read_lines(path)
  local lines = {}
  for line in io.lines(path) do lines[#lines + 1] = line end
  return lines
end

-- Ends the load now. The thread alone can end itself, but wrk would sleep until its time is over: SIGINT ends that.
local function stop()
  local ffi = require("ffi")
  ffi.cdef("int getpid(void); int kill(int process, int signal);")
  wrk.thread:stop()
  ffi.C.kill(ffi.C.getpid(), 2)
end

function init(args)
  local method, paths, token, count = args[1], read_lines(args[2]), read_lines(args[3])[1], tonumber(args[4])
  wrk.method = method
  wrk.path = paths[1]
  wrk.headers["Authorization"] = "Bearer " .. token
  if method == "POST" then
    wrk.headers["Content-Type"] = "application/json"
    wrk.body = '{"wait":true}'
  end

  -- A request that never changes is left to wrk, which then sends it without coming back here.
  if #paths > 1 then
    local requests, at = {}, 0
    for index, path in ipairs(paths) do requests[index] = wrk.format(method, path) end
    function request()
      at = at % #requests + 1
      return requests[at]
    end
  end

  if count then
    local answers = 0
    function response()
      answers = answers + 1
      if answers == count then stop() end
    end
  end
end

function done(summary, latency)
  local errors = summary.errors
  local failed = errors.connect + errors.read + errors.write + errors.status + errors.timeout
  local per_s = summary.requests / summary.duration * 1e6
  print(("load: answers=%d failed=%d microseconds=%d per_s=%.1f p50_us=%d p99_us=%d"):format(
    summary.requests, failed, summary.duration, per_s, latency:percentile(50), latency:percentile(99)))
end
