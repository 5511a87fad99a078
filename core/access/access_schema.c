// SPDX-License-Identifier: Apache-2.0
// The tables of this layer, schema version 1.
//
// Ids are 16-byte blobs, times nanoseconds since 1970, secrets and ledger entries stand as SHA-256 digests. A table
// whose rows are found by their key alone is WITHOUT ROWID: one tree less to read and write. The ledger is append-only
// in the database too: its triggers refuse to change, remove or replace an entry, and let a head only move forward.
// They stop mistakes, not somebody who can write the file; for that there is audit_verify.
#include "access/accounts.h"

const struct store_migration access_migration = {
    .version = 1,
    .sql = "CREATE TABLE organizations ("
           " id BLOB PRIMARY KEY CHECK (length(id) = 16),"
           " tenant_id BLOB NOT NULL UNIQUE CHECK (length(tenant_id) = 16),"
           " name TEXT NOT NULL,"
           " slug TEXT NOT NULL UNIQUE,"
           " created_at INTEGER NOT NULL"
           ") STRICT, WITHOUT ROWID;"

           "CREATE TABLE users ("
           " id BLOB PRIMARY KEY CHECK (length(id) = 16),"
           " email TEXT NOT NULL UNIQUE,"
           " password_hash TEXT NOT NULL,"
           " display_name TEXT,"
           " superadmin INTEGER NOT NULL CHECK (superadmin IN (0, 1)),"
           " created_at INTEGER NOT NULL"
           ") STRICT, WITHOUT ROWID;"

           "CREATE TABLE memberships ("
           " user_id BLOB NOT NULL REFERENCES users (id),"
           " tenant_id BLOB NOT NULL REFERENCES organizations (tenant_id),"
           " role INTEGER NOT NULL CHECK (role BETWEEN 1 AND 4),"
           " created_at INTEGER NOT NULL,"
           " PRIMARY KEY (user_id, tenant_id)"
           ") STRICT, WITHOUT ROWID;"
           "CREATE INDEX memberships_by_role ON memberships (tenant_id, role);"

           "CREATE TABLE login_sessions ("
           " digest BLOB PRIMARY KEY CHECK (length(digest) = 32),"
           " user_id BLOB NOT NULL REFERENCES users (id),"
           " created_at INTEGER NOT NULL,"
           " expires_at INTEGER NOT NULL,"
           " revoked_at INTEGER"
           ") STRICT, WITHOUT ROWID;"
           "CREATE INDEX login_sessions_by_expiry ON login_sessions (expires_at);"

           "CREATE TABLE login_failures ("
           " email_digest BLOB NOT NULL CHECK (length(email_digest) = 32),"
           " failed_at INTEGER NOT NULL"
           ") STRICT;"
           "CREATE INDEX login_failures_by_email ON login_failures (email_digest, failed_at);"
           "CREATE INDEX login_failures_by_time ON login_failures (failed_at);"

           "CREATE TABLE tokens ("
           " digest BLOB PRIMARY KEY CHECK (length(digest) = 32),"
           " id BLOB NOT NULL CHECK (length(id) = 16),"
           " tenant_id BLOB NOT NULL REFERENCES organizations (tenant_id),"
           " name TEXT NOT NULL,"
           " role INTEGER NOT NULL CHECK (role BETWEEN 1 AND 4),"
           " created_at INTEGER NOT NULL,"
           " expires_at INTEGER,"
           " revoked_at INTEGER,"
           " created_by TEXT NOT NULL"
           ") STRICT, WITHOUT ROWID;"
           "CREATE UNIQUE INDEX tokens_by_tenant ON tokens (tenant_id, id);"

           "CREATE TABLE modules ("
           " tenant_id BLOB NOT NULL REFERENCES organizations (tenant_id),"
           " name TEXT NOT NULL,"
           " enabled INTEGER NOT NULL CHECK (enabled IN (0, 1)),"
           " switched_at INTEGER NOT NULL,"
           " PRIMARY KEY (tenant_id, name)"
           ") STRICT, WITHOUT ROWID;"

           "CREATE TABLE engine_secrets ("
           " name TEXT PRIMARY KEY,"
           " secret BLOB NOT NULL CHECK (length(secret) = 32)"
           ") STRICT, WITHOUT ROWID;"

           "CREATE TABLE audit ("
           " tenant_id BLOB NOT NULL CHECK (length(tenant_id) = 16),"
           " seq INTEGER NOT NULL CHECK (seq > 0),"
           " id BLOB NOT NULL CHECK (length(id) = 16),"
           " occurred_at INTEGER NOT NULL,"
           " actor TEXT NOT NULL,"
           " action TEXT NOT NULL,"
           " target TEXT NOT NULL,"
           " details TEXT NOT NULL,"
           " previous_hash BLOB NOT NULL CHECK (length(previous_hash) = 32),"
           " hash BLOB NOT NULL CHECK (length(hash) = 32),"
           " PRIMARY KEY (tenant_id, seq)"
           ") STRICT, WITHOUT ROWID;"
           "CREATE INDEX audit_by_action ON audit (tenant_id, action, seq);"
           "CREATE INDEX audit_by_actor ON audit (tenant_id, actor, seq);"

           "CREATE TABLE audit_heads ("
           " tenant_id BLOB PRIMARY KEY CHECK (length(tenant_id) = 16),"
           " seq INTEGER NOT NULL,"
           " hash BLOB NOT NULL CHECK (length(hash) = 32)"
           ") STRICT, WITHOUT ROWID;"

           "CREATE TRIGGER audit_no_update BEFORE UPDATE ON audit"
           " BEGIN SELECT RAISE(ABORT, 'audit is append-only'); END;"
           "CREATE TRIGGER audit_no_delete BEFORE DELETE ON audit"
           " BEGIN SELECT RAISE(ABORT, 'audit is append-only'); END;"
           "CREATE TRIGGER audit_no_replace BEFORE INSERT ON audit"
           " WHEN EXISTS (SELECT 1 FROM audit WHERE tenant_id = NEW.tenant_id AND seq = NEW.seq)"
           " BEGIN SELECT RAISE(ABORT, 'audit is append-only'); END;"
           "CREATE TRIGGER audit_heads_forward BEFORE UPDATE ON audit_heads"
           " WHEN NEW.tenant_id <> OLD.tenant_id OR NEW.seq <> OLD.seq + 1"
           " BEGIN SELECT RAISE(ABORT, 'audit is append-only'); END;"
           "CREATE TRIGGER audit_heads_no_delete BEFORE DELETE ON audit_heads"
           " BEGIN SELECT RAISE(ABORT, 'audit is append-only'); END;",
};
