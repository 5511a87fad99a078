# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# One engine at a time, served on a free port of 127.0.0.1 from a fresh data directory, set up as a user would, with an
# API token of the role editor. Sourced by run.

# shellcheck disable=SC2154

engine_pid=
engine_url= # http://127.0.0.1:PORT
engine_dir= # its data directory
token_file= # the API token

# wait_for FILE PATTERN PID: the first match in FILE, which PID writes. At most ten seconds.
wait_for() {
  local found
  for _ in $(seq 500); do
    if found=$(grep -m 1 -o -e "$2" "$1" 2>/dev/null); then
      echo "$found"
      return 0
    fi
    kill -0 "$3" 2>/dev/null || return 1
    sleep 0.02
  done
  return 1
}

# ask METHOD PATH [BODY_FILE]: the answer of the engine, as the holder of $token_file. An error status ends the bench.
ask() {
  local body=()
  [ $# -lt 3 ] || body=(-H 'Content-Type: application/json' --data-binary "@$3")
  curl -sS --fail-with-body --max-time 60 -X "$1" -H "@$work/authorization" ${body[@]+"${body[@]}"} "$engine_url$2" ||
    fail "$1 $2 was refused"
}

# member NAME: the first string of that name in the JSON on standard input.
member() {
  grep -o "\"$1\" *: *\"[^\"]*\"" | sed -n '1s/.*: *"\(.*\)"/\1/p'
}

use_token() {
  printf '%s\n' "$1" >"$token_file"
  printf 'Authorization: Bearer %s\n' "$1" >"$work/authorization"
}

engine_set_up() {
  : >"$work/authorization"
  printf '{"token":"%s","email":"bench@example.test","password":"correct horse battery staple"}' \
    "$(cat "$engine_dir/setup-token")" >"$work/body"
  use_token "$(ask POST /v1/setup "$work/body" | member token)"
  printf '{"modules":{"sandbox":true}}' >"$work/body"
  ask PUT /v1/console/modules "$work/body" >/dev/null
  printf '{"name":"bench","role":"editor"}' >"$work/body"
  use_token "$(ask POST /v1/tokens "$work/body" | member token)"
}

# engine_start NAME
engine_start() {
  engine_dir=$work/$1
  token_file=$work/token
  mkdir "$engine_dir"
  "$olivares" serve --data "$engine_dir" --listen 127.0.0.1:0 >"$engine_dir.out" 2>"$engine_dir.log" &
  engine_pid=$!
  engine_url=$(wait_for "$engine_dir.out" 'http://[0-9.:]*' "$engine_pid") || {
    cat "$engine_dir.out" "$engine_dir.log" >&2
    fail "the engine did not start"
  }
  engine_set_up
}

engine_stop() {
  [ -n "$engine_pid" ] || return 0
  kill -TERM "$engine_pid" 2>/dev/null || true
  wait "$engine_pid" 2>/dev/null || true
  engine_pid=
}

# make_run_path NAME STEPS MOCKS [KIND]: creates a scenario; the path that runs it is then in $work/paths.
make_run_path() {
  lua5.4 "$here/scenario.lua" "$1" "$2" "$3" all "${4:-exact}" >"$work/$1.json"
  ask POST /v1/m/sandbox/scenarios "$work/$1.json" >"$work/said"
  printf '/v1/m/sandbox/scenarios/%s/run\n' "$(member id <"$work/said")" >"$work/paths"
}

# load URL CONNECTIONS SECONDS METHOD PATHS_FILE [COUNT]: sends requests and prints load.lua's figures. An answer with an
# error status, or none, ends the bench: what was refused was not measured.
load() {
  local url=$1 connections=$2 seconds=$3 said
  shift 3
  said=$(wrk -t 1 -c "$connections" -d "$seconds" --timeout 30 -s "$here/load.lua" "$url" -- \
    "$1" "$2" "$token_file" ${3:+"$3"} | sed -n 's/^load: //p')
  [[ $said == *failed=0\ * ]] || fail "requests failed: ${said:-wrk said nothing}"
  echo "$said"
}

# figure NAME TEXT: one value out of "name=value …".
figure() {
  sed -n "s/^\(.* \)\{0,1\}$1=\([^ ]*\).*/\2/p" <<<"$2"
}
