/**
 * The first schema.
 *
 * An item has two rows: its status (`items`) and its encrypted content (`contents`, separate so that it can be shredded;
 * see `shreddable-text.ts`). No other table contains content: neither the history nor the audit trail.
 *
 * Rows refer to their vault and item by row ids, which are short: ids in indexes are most of what a commit writes.
 */
export const initial = `
CREATE TABLE vaults (
  id INTEGER PRIMARY KEY,
  tenant_id TEXT NOT NULL,
  vault_id TEXT NOT NULL,
  retention_days INTEGER NOT NULL,
  access_revision INTEGER NOT NULL,
  sequence INTEGER NOT NULL DEFAULT 0 CHECK (sequence BETWEEN 0 AND 4294967295),
  UNIQUE (tenant_id, vault_id)
) STRICT;

CREATE TABLE vault_members (
  vault INTEGER NOT NULL REFERENCES vaults,
  principal_id TEXT NOT NULL,
  role TEXT NOT NULL,
  PRIMARY KEY (vault, principal_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE items (
  id INTEGER PRIMARY KEY,
  vault INTEGER NOT NULL REFERENCES vaults,
  item_id TEXT NOT NULL,
  version INTEGER NOT NULL CHECK (version >= 1),
  sequence INTEGER NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('live', 'deleted', 'shredded')),
  kind TEXT NOT NULL,
  updated_at INTEGER NOT NULL,
  shred_at INTEGER,
  payload_alg TEXT NOT NULL,
  payload_version INTEGER NOT NULL,
  UNIQUE (vault, item_id),
  UNIQUE (vault, sequence),
  CHECK ((shred_at IS NOT NULL) = (state = 'deleted'))
) STRICT;

CREATE INDEX items_due ON items (shred_at) WHERE shred_at IS NOT NULL;

CREATE TRIGGER items_stay BEFORE DELETE ON items
BEGIN SELECT RAISE(ABORT, 'items are never removed: an item id is never reused'); END;

CREATE TABLE contents (
  item INTEGER PRIMARY KEY REFERENCES items,
  content TEXT NOT NULL
) STRICT;

CREATE TABLE changes (
  position INTEGER PRIMARY KEY,
  vault INTEGER NOT NULL REFERENCES vaults,
  sequence INTEGER NOT NULL,
  item INTEGER NOT NULL REFERENCES items,
  version INTEGER NOT NULL,
  state TEXT NOT NULL,
  at INTEGER NOT NULL,
  UNIQUE (vault, sequence)
) STRICT;

CREATE TRIGGER changes_stand BEFORE UPDATE ON changes
BEGIN SELECT RAISE(ABORT, 'changes is append-only'); END;
CREATE TRIGGER changes_stay BEFORE DELETE ON changes
BEGIN SELECT RAISE(ABORT, 'changes is append-only'); END;

CREATE TABLE device_authorizations (
  position INTEGER PRIMARY KEY,
  device_code_hash TEXT NOT NULL UNIQUE,
  user_code_hash TEXT NOT NULL,
  tenant_id TEXT NOT NULL,
  oauth_client_id TEXT NOT NULL,
  requested_scopes TEXT NOT NULL,
  pop_key_id TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('pending', 'approved', 'denied', 'consumed', 'burned')),
  revision INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  interval_seconds INTEGER NOT NULL,
  last_poll_at INTEGER,
  approver_id TEXT,
  approved_scopes TEXT NOT NULL,
  consumed_grant_id TEXT,
  consumed_by TEXT,
  consumed_key_hash TEXT,
  consumed_at INTEGER
) STRICT;

CREATE INDEX device_authorizations_by_user_code ON device_authorizations (user_code_hash);

CREATE TABLE grants (
  grant_id TEXT PRIMARY KEY,
  tenant_id TEXT NOT NULL,
  principal_id TEXT NOT NULL,
  oauth_client_id TEXT NOT NULL,
  scopes TEXT NOT NULL,
  key_id TEXT NOT NULL,
  issued_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  access_token_id TEXT NOT NULL UNIQUE,
  broker_token_id TEXT NOT NULL,
  pop_key_id TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX grants_by_broker_token ON grants (broker_token_id) WHERE broker_token_id <> '';

CREATE TABLE revocations (
  subject_id TEXT PRIMARY KEY,
  at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE oauth_clients (
  tenant_id TEXT NOT NULL,
  oauth_client_id TEXT NOT NULL,
  name TEXT NOT NULL,
  allowed_operations TEXT NOT NULL,
  enabled INTEGER NOT NULL CHECK (enabled IN (0, 1)),
  PRIMARY KEY (tenant_id, oauth_client_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE principals (
  tenant_id TEXT NOT NULL,
  principal_id TEXT NOT NULL,
  active INTEGER NOT NULL CHECK (active IN (0, 1)),
  PRIMARY KEY (tenant_id, principal_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE audit (
  position INTEGER PRIMARY KEY,
  at INTEGER NOT NULL,
  tenant_id TEXT NOT NULL,
  principal_id TEXT NOT NULL,
  oauth_client_id TEXT NOT NULL,
  token_id TEXT NOT NULL,
  operation TEXT NOT NULL,
  request_id TEXT NOT NULL,
  subject_tenant_id TEXT NOT NULL,
  subject TEXT NOT NULL,
  event TEXT NOT NULL,
  version_before INTEGER NOT NULL,
  version_after INTEGER NOT NULL
) STRICT;

CREATE TRIGGER audit_stands BEFORE UPDATE ON audit
BEGIN SELECT RAISE(ABORT, 'audit is append-only'); END;
CREATE TRIGGER audit_stays BEFORE DELETE ON audit
BEGIN SELECT RAISE(ABORT, 'audit is append-only'); END;
`;
