# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# The measurements, one function each. Sourced by run.
#
# A round takes a figure and its yardsticks one right after the other, so that a disk or a neighbour that changes its
# mind changes both. What is kept goes to table.lua, which takes the medians of the rounds and prints them.
# shellcheck disable=SC2154

constant_pid=

say() {
  printf 'bench: %s\n' "$1" >&2
}

# keep NAME VALUE: one round's figure.
keep() {
  [ -n "$2" ] || fail "no figure for $1"
  printf '%s\t%s\n' "$1" "$2" >>"$work/figures"
}

# ---- durable runs ----

# raw NAME FIGURE RUNS ROWS_PER_COMMIT: keeps one of raw_store's figures, with the rows that the engine has stored.
raw() {
  local said
  said=$("$programs/raw_store" "$engine_dir/olivares.db" "$work/raw.db" "$3" "$4") || fail "raw_store failed"
  rm -f "$work"/raw.db*
  keep "$1" "$(figure "$2" "$said")"
}

keep_sync_time() {
  local said
  said=$("$programs/sync_times" "$work/sync" 200) || fail "sync_times failed"
  keep sync_us "$(figure median_us "$said")"
}

# A run of two steps is five rows: 64 rows are 13 runs, 320 are 64.
measure_runs() {
  local said runs
  engine_start runs
  make_run_path two-steps 2 1
  for round in $(seq "$rounds"); do
    say "runs, round $round of $rounds"
    keep_sync_time
    said=$(load "$engine_url" 32 "$seconds" POST "$work/paths")
    runs=$(figure answers "$said")
    keep runs "$(figure per_s "$said")"
    keep runs_p50_us "$(figure p50_us "$said")"
    keep runs_p99_us "$(figure p99_us "$said")"
    raw raw_64_rows runs_per_s "$runs" 64
    raw raw_64_runs runs_per_s "$runs" 320
    raw raw_single runs_per_s "$single_commits" 0
    keep runs_alone "$(figure per_s "$(load "$engine_url" 1 "$seconds" POST "$work/paths")")"
  done
  engine_stop
}

# ---- reads ----

# constant_start BODY_BYTES WAY
constant_start() {
  "$programs/const_server" "$1" "$2" >"$work/constant.out" 2>&1 &
  constant_pid=$!
  constant_port=$(wait_for "$work/constant.out" '^[0-9]*$' "$constant_pid") || fail "const_server did not start"
}

constant_stop() {
  [ -n "$constant_pid" ] || return 0
  kill -TERM "$constant_pid" 2>/dev/null || true
  wait "$constant_pid" 2>/dev/null || true
  constant_pid=
}

reads_of() {
  figure per_s "$(load "$1" 32 "$seconds" GET "$work/paths")"
}

# A thousand runs, in turn.
measure_reads() {
  local bytes way
  engine_start reads
  make_run_path two-steps 2 1
  load "$engine_url" 32 10 POST "$work/paths" 1000 >"$work/said"
  ask GET "/v1/m/sandbox/runs?limit=1000" | grep -o '"id" *: *"[^"]*"' |
    sed 's|.*"\([^"]*\)"$|/v1/m/sandbox/runs/\1|' >"$work/paths"
  bytes=$(ask GET "$(head -n 1 "$work/paths")" | wc -c)
  keep read_bytes "$bytes"
  for round in $(seq "$rounds"); do
    say "reads, round $round of $rounds"
    keep reads "$(reads_of "$engine_url")"
    for way in thread outside; do
      constant_start "$bytes" "$way"
      keep "constant_$way" "$(reads_of "http://127.0.0.1:$constant_port")"
      constant_stop
    done
  done
  engine_stop
}

# ---- steps ----

measure_steps() {
  local mocks said
  for mocks in 1000 10000; do
    engine_start "steps-$mocks"
    make_run_path thousand 1000 "$mocks"
    for round in $(seq "$rounds"); do
      say "steps with $mocks mocks, round $round of $rounds"
      said=$(load "$engine_url" 2 "$seconds" POST "$work/paths")
      keep "steps_$mocks" "$(($(figure answers "$said") * 1000000000 / $(figure microseconds "$said")))"
      raw "rows_$mocks" rows_per_s "$(figure answers "$said")" 0
      keep "resolver_$mocks" "$(figure steps_per_s "$("$programs/resolver_loop" "$work/thousand.json" 1)")"
    done
    engine_stop
  done
}

# ---- misses and patterns ----

# steps_of NAME: keeps how many steps a second there are of the scenario in $work/paths.
steps_of() {
  local said
  said=$(load "$engine_url" 2 "$seconds" POST "$work/paths")
  keep "$1" "$(($(figure answers "$said") * 1000000000 / $(figure microseconds "$said")))"
}

# One after the other in a round: runs that hit, runs that miss by a character, runs whose mocks are patterns.
measure_mocks() {
  local kind
  engine_start mocks
  for kind in exact misses; do
    make_run_path "$kind" 1000 10000 "$kind"
    mv "$work/paths" "$work/paths-$kind"
  done
  make_run_path regexes 1000 1000 regexes
  mv "$work/paths" "$work/paths-regexes"
  for round in $(seq "$rounds"); do
    say "misses and patterns, round $round of $rounds"
    for kind in exact misses regexes; do
      cp "$work/paths-$kind" "$work/paths"
      steps_of "mocks_$kind"
    done
  done
  engine_stop
}

# ---- start ----

# started NAME PROGRAM ARGUMENT…
started() {
  local name=$1 said
  shift
  said=$("$programs/start_times" "$starts" "$@") || fail "failed: $*"
  keep "$name" "$(figure median_us "$said")"
}

# On a data directory with one scenario and one run, without a server.
measure_start() {
  local data=$work/start scenario run
  say "start"
  mkdir "$data"
  lua5.4 "$here/scenario.lua" start 2 1 steps >"$work/start-steps.json"
  lua5.4 "$here/scenario.lua" start 2 1 mocks >"$work/start-mocks.json"
  "$olivares" --data "$data" modules on sandbox >"$work/said"
  "$olivares" --data "$data" sandbox scenarios create --name start --steps-file "$work/start-steps.json" \
    --mocks-file "$work/start-mocks.json" -o json >"$work/said"
  scenario=$(member id <"$work/said")
  "$olivares" --data "$data" sandbox scenarios run "$scenario" -o json >"$work/said"
  run=$(member id <"$work/said")
  started start_true_us /bin/true
  started start_version_us "$olivares" version
  started start_get_us "$olivares" --data "$data" sandbox runs get "$run" -o json
  started start_sqlite_us /usr/bin/sqlite3 "$data/olivares.db" \
    "SELECT * FROM runs WHERE tenant_id = (SELECT tenant_id FROM organizations) AND id = x'${run//-/}'"
}

# ---- memory ----

keep_resident() {
  keep soak_runs "$1"
  keep soak_kib "$(sed -n 's/^VmRSS:[[:space:]]*\([0-9]*\) kB$/\1/p' "/proc/$engine_pid/status")"
}

measure_memory() {
  local each=$((soak / 10)) point
  engine_start soak
  make_run_path soak 2 1
  keep_resident 0
  for point in $(seq 10); do
    say "soak, $((point * each)) of $soak runs"
    load "$engine_url" 32 3600 POST "$work/paths" "$each" >"$work/said"
    keep_resident "$((point * each))"
  done
  engine_stop
}
