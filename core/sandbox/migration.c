// SPDX-License-Identifier: Apache-2.0
// The module's tables. What is evidence (revisions, specs, outputs, comparisons) is append-only in the database itself,
// and a run that has ended can't be changed any more: the triggers hold for everybody who opens the file, not only for
// this program.
//
// The keys begin with the tenant, so that a query can't leave its tenant by forgetting a condition: without it there is
// no index.
#include "sandbox/sandbox.h"

// INSERT OR REPLACE deletes what is in its way without asking a trigger for DELETE, hence the third one. `row` says
// which row is in the way.
#define APPEND_ONLY(table, row)                                                                                        \
  "CREATE TRIGGER " table "_no_update BEFORE UPDATE ON " table " BEGIN SELECT RAISE(ABORT, '" table                    \
  " is append-only'); END;"                                                                                            \
  "CREATE TRIGGER " table "_no_delete BEFORE DELETE ON " table " BEGIN SELECT RAISE(ABORT, '" table                    \
  " is append-only'); END;"                                                                                            \
  "CREATE TRIGGER " table "_no_replace BEFORE INSERT ON " table " WHEN EXISTS (SELECT 1 FROM " table                   \
  " WHERE tenant_id = NEW.tenant_id AND " row ") BEGIN SELECT RAISE(ABORT, '" table " is append-only'); END;"

const struct store_migration sandbox_migration = {
    .version = 2,
    .sql =
        "CREATE TABLE scenarios ("
        "  tenant_id BLOB NOT NULL, id BLOB NOT NULL, name TEXT NOT NULL, description TEXT, subject_kind TEXT NOT NULL,"
        "  archived INTEGER NOT NULL DEFAULT 0, revision INTEGER NOT NULL, spec_hash BLOB NOT NULL, seed INTEGER NOT "
        "NULL,"
        "  steps_count INTEGER NOT NULL, mocks_count INTEGER NOT NULL, variant_names TEXT NOT NULL, clamped TEXT,"
        "  created_at INTEGER NOT NULL, created_by TEXT NOT NULL, updated_at INTEGER NOT NULL,"
        "  PRIMARY KEY (tenant_id, id)"
        ") STRICT, WITHOUT ROWID;"
        "CREATE UNIQUE INDEX scenarios_name ON scenarios (tenant_id, name);"

        "CREATE TABLE scenario_revisions ("
        "  tenant_id BLOB NOT NULL, scenario_id BLOB NOT NULL, revision INTEGER NOT NULL, spec_hash BLOB NOT NULL,"
        "  created_at INTEGER NOT NULL, created_by TEXT NOT NULL,"
        "  steps TEXT NOT NULL, mocks TEXT NOT NULL, variants TEXT NOT NULL,"
        "  UNIQUE (tenant_id, scenario_id, revision)"
        ") STRICT;" APPEND_ONLY("scenario_revisions", "scenario_id = NEW.scenario_id AND revision = NEW.revision")

            "CREATE TABLE specs ("
            "  tenant_id BLOB NOT NULL, spec_hash BLOB NOT NULL, canonical TEXT NOT NULL,"
            "  UNIQUE (tenant_id, spec_hash)"
            ") STRICT;" APPEND_ONLY("specs", "spec_hash = NEW.spec_hash")

                "CREATE TABLE runs ("
                "  tenant_id BLOB NOT NULL, id BLOB NOT NULL, kind TEXT NOT NULL, scenario_id BLOB, scenario_revision "
                "INTEGER,"
                "  spec_hash BLOB NOT NULL, subject_ref TEXT NOT NULL, variant TEXT, seed INTEGER NOT NULL, runner "
                "TEXT NOT NULL,"
                "  isolated INTEGER NOT NULL, destroyed INTEGER NOT NULL, status TEXT NOT NULL, reason_code TEXT,"
                "  reason_message TEXT, steps_total INTEGER NOT NULL, steps_ok INTEGER NOT NULL, steps_error INTEGER "
                "NOT NULL,"
                "  outputs_hash BLOB, suite_ref TEXT, score REAL, passed INTEGER, unused_mocks INTEGER NOT NULL,"
                "  attestation TEXT NOT NULL, started_at INTEGER NOT NULL, finished_at INTEGER, duration_ms INTEGER,"
                "  launched_by TEXT NOT NULL,"
                "  PRIMARY KEY (tenant_id, id)"
                ") STRICT, WITHOUT ROWID;"
                "CREATE INDEX runs_scenario ON runs (tenant_id, scenario_id, id) WHERE scenario_id IS NOT NULL;"
                // Nearly every run is a completed one of a scenario; only the rest is worth an index entry.
                "CREATE INDEX runs_status ON runs (tenant_id, status, id) WHERE status <> 'completed';"
                "CREATE INDEX runs_kind ON runs (tenant_id, kind, id) WHERE kind <> 'scenario';"
                "CREATE INDEX runs_running ON runs (started_at) WHERE status = 'running';"
                "CREATE TRIGGER runs_ended_no_update BEFORE UPDATE ON runs"
                " WHEN OLD.status <> 'running' OR NEW.tenant_id <> OLD.tenant_id OR NEW.id <> OLD.id"
                " BEGIN SELECT RAISE(ABORT, 'a run that has ended is not changed'); END;"
                "CREATE TRIGGER runs_no_replace BEFORE INSERT ON runs"
                " WHEN EXISTS (SELECT 1 FROM runs WHERE tenant_id = NEW.tenant_id AND id = NEW.id)"
                " BEGIN SELECT RAISE(ABORT, 'a run is recorded once'); END;"
                "CREATE TRIGGER runs_no_delete BEFORE DELETE ON runs BEGIN SELECT RAISE(ABORT, 'runs are not "
                "deleted'); END;"

                "CREATE TABLE outputs ("
                "  tenant_id BLOB NOT NULL, run_id BLOB NOT NULL, seq INTEGER NOT NULL, id BLOB NOT NULL, step_key "
                "TEXT NOT NULL,"
                "  mock_hit INTEGER NOT NULL, clamped INTEGER NOT NULL, occurred_at INTEGER NOT NULL, calls TEXT NOT "
                "NULL,"
                "  output TEXT NOT NULL,"
                "  PRIMARY KEY (tenant_id, run_id, seq)"
                ") STRICT, WITHOUT ROWID;" APPEND_ONLY("outputs", "run_id = NEW.run_id AND seq = NEW.seq")

                    "CREATE TABLE comparisons ("
                    "  tenant_id BLOB NOT NULL, id BLOB NOT NULL, scenario_id BLOB, session_ref TEXT, subject_ref TEXT "
                    "NOT NULL,"
                    "  baseline_run BLOB NOT NULL, candidate_run BLOB NOT NULL, baseline_variant TEXT, "
                    "candidate_variant TEXT,"
                    "  suite_ref TEXT, baseline_score REAL, candidate_score REAL, verdict TEXT NOT NULL, reason_code "
                    "TEXT NOT NULL,"
                    "  reason_message TEXT NOT NULL, comparable INTEGER NOT NULL, rule_ref TEXT NOT NULL, rule_hash "
                    "BLOB NOT NULL,"
                    "  decided_by TEXT NOT NULL, occurred_at INTEGER NOT NULL, differences_omitted INTEGER NOT NULL,"
                    "  differences TEXT NOT NULL,"
                    "  UNIQUE (tenant_id, id)"
                    ") STRICT;"
                    "CREATE INDEX comparisons_scenario ON comparisons (tenant_id, scenario_id, id);"
                    "CREATE INDEX comparisons_subject ON comparisons (tenant_id, subject_ref, id);" APPEND_ONLY(
                        "comparisons", "id = NEW.id"),
};

// What the resolution of requests and the comparison of variants say of themselves. Of rows from before it is not
// known, which the defaults say.
const struct store_migration sandbox_migration_resolution = {
    .version = 3,
    .sql = "ALTER TABLE runs ADD COLUMN overlaid INTEGER NOT NULL DEFAULT 0;"
           "ALTER TABLE runs ADD COLUMN virtual_ms INTEGER NOT NULL DEFAULT 0;"
           "ALTER TABLE runs ADD COLUMN unused_required TEXT NOT NULL DEFAULT '[]';"
           "ALTER TABLE comparisons ADD COLUMN self_check INTEGER NOT NULL DEFAULT 0;"
           "ALTER TABLE comparisons ADD COLUMN not_comparable TEXT NOT NULL DEFAULT '[]';"
           "ALTER TABLE comparisons ADD COLUMN same_spec INTEGER NOT NULL DEFAULT 0;"
           "ALTER TABLE comparisons ADD COLUMN variant_unknown INTEGER NOT NULL DEFAULT 0;"
           "ALTER TABLE comparisons ADD COLUMN counts TEXT NOT NULL DEFAULT '';"
           "ALTER TABLE comparisons ADD COLUMN pairs TEXT NOT NULL DEFAULT '[]';"
           "ALTER TABLE comparisons ADD COLUMN pairs_omitted INTEGER NOT NULL DEFAULT 0;",
};
