/** Creates the triggers of a table whose rows are never changed or removed. */
const appendOnly = (table: string) => `
CREATE TRIGGER ${table}_stand BEFORE UPDATE ON ${table}
BEGIN SELECT RAISE(ABORT, '${table} is append-only'); END;
CREATE TRIGGER ${table}_stay BEFORE DELETE ON ${table}
BEGIN SELECT RAISE(ABORT, '${table} is append-only'); END;
`;

/**
 * Creates the tables of a new database, and marks it as one of this program: the application id is "PLAT" in ASCII.
 *
 * An item has a row of its status (`items`) and one of its encrypted content (`contents`, separate so that it can be shredded: see
 * `shreddable-text.ts`). No other table contains content. Rows refer to their vault and item by row ids, which are short: ids in
 * indexes are most of what a commit writes.
 *
 * A change of an item writes few pages, however many items and vaults there are. Therefore `items` and `changes` have no index on
 * (vault, sequence), `audit` has none on the tenant, and a deletion does not write to `items`.
 *
 * Every row has a checksum of its columns, which every read compares: see `checksum.ts`.
 */
export const schema = `
PRAGMA application_id = 0x504c4154;

-- The floor: the current epoch assigns only sequences and versions above it, and earlier epochs assigned none above it. A sequence
-- below the floor belongs to the history only if changes contains it.
CREATE TABLE vaults (
  id INTEGER PRIMARY KEY,
  tenant_id TEXT NOT NULL,
  vault_id TEXT NOT NULL,
  retention_days INTEGER NOT NULL,
  access_revision INTEGER NOT NULL,
  sequence INTEGER NOT NULL CHECK (sequence BETWEEN 0 AND 4294967295),
  floor INTEGER NOT NULL,
  last_change INTEGER,
  checksum INTEGER NOT NULL,
  UNIQUE (tenant_id, vault_id)
) STRICT;

CREATE TABLE vault_members (
  vault INTEGER NOT NULL REFERENCES vaults,
  principal_id TEXT NOT NULL,
  role TEXT NOT NULL,
  checksum INTEGER NOT NULL,
  PRIMARY KEY (vault, principal_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX vault_members_by_principal ON vault_members (principal_id);

-- The last version of each item that was not a deletion. The first checksum is that of its status, the second one that of the columns
-- that describe its content: most reads need only one of them.
CREATE TABLE items (
  id INTEGER PRIMARY KEY,
  vault INTEGER NOT NULL REFERENCES vaults,
  item_id TEXT NOT NULL,
  version INTEGER NOT NULL CHECK (version >= 1),
  sequence INTEGER NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('live', 'shredded')),
  kind TEXT NOT NULL,
  updated_at INTEGER NOT NULL,
  payload_alg TEXT NOT NULL,
  payload_version INTEGER NOT NULL,
  checksum INTEGER NOT NULL,
  description_checksum INTEGER NOT NULL,
  UNIQUE (vault, item_id)
) STRICT;

CREATE TRIGGER items_stay BEFORE DELETE ON items
BEGIN SELECT RAISE(ABORT, 'items are never removed: an item id is never reused'); END;

-- The deleted items that can still be restored. The row replaces the version, sequence and time of the item, and the table is small:
-- the row of an item would be on another page for almost each deletion, and be written twice, to the log and by a checkpoint.
CREATE TABLE tombstones (
  item INTEGER PRIMARY KEY REFERENCES items,
  version INTEGER NOT NULL,
  sequence INTEGER NOT NULL,
  deleted_at INTEGER NOT NULL,
  shred_at INTEGER NOT NULL,
  checksum INTEGER NOT NULL
) STRICT;

CREATE INDEX tombstones_due ON tombstones (shred_at);

CREATE VIEW item_states AS
SELECT items.id, vault, item_id, ifnull(tombstones.version, items.version) AS version,
  ifnull(tombstones.sequence, items.sequence) AS sequence, iif(tombstones.item IS NULL, state, 'deleted') AS state, kind,
  ifnull(deleted_at, updated_at) AS updated_at, shred_at, payload_alg, payload_version
FROM items LEFT JOIN tombstones ON tombstones.item = items.id;

CREATE TABLE contents (
  item INTEGER PRIMARY KEY REFERENCES items,
  content TEXT NOT NULL,
  checksum INTEGER NOT NULL
) STRICT;

-- The history of all vaults, in commit order. That of one vault is a linked list: each change refers to the one before it, and the
-- vault to its newest (last_change).
CREATE TABLE changes (
  position INTEGER PRIMARY KEY,
  vault INTEGER NOT NULL REFERENCES vaults,
  sequence INTEGER NOT NULL,
  item INTEGER NOT NULL REFERENCES items,
  version INTEGER NOT NULL,
  state TEXT NOT NULL,
  at INTEGER NOT NULL,
  previous INTEGER,
  checksum INTEGER NOT NULL
) STRICT;
${appendOnly("changes")}
-- Where reading a history can begin: at every 32nd sequence.
CREATE TABLE landmarks (
  vault INTEGER NOT NULL REFERENCES vaults,
  sequence INTEGER NOT NULL,
  position INTEGER NOT NULL REFERENCES changes,
  checksum INTEGER NOT NULL,
  PRIMARY KEY (vault, sequence)
) STRICT, WITHOUT ROWID;

-- Everything but the history: each record is one row in the tree of its primary key, so that reading one takes one lookup.
CREATE TABLE records (
  tenant_id TEXT NOT NULL,
  collection TEXT NOT NULL,
  key TEXT NOT NULL,
  principal_id TEXT NOT NULL,
  oauth_client_id TEXT NOT NULL,
  value TEXT NOT NULL,
  revision INTEGER NOT NULL CHECK (revision >= 1),
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  checksum INTEGER NOT NULL,
  PRIMARY KEY (tenant_id, collection, key)
) STRICT, WITHOUT ROWID;

CREATE INDEX records_by_principal ON records (tenant_id, collection, principal_id, key) WHERE principal_id <> '';
CREATE INDEX records_by_expiry ON records (expires_at) WHERE expires_at IS NOT NULL;

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
  version_after INTEGER NOT NULL,
  checksum INTEGER NOT NULL
) STRICT;
${appendOnly("audit")}
-- Link the rows of the audit trail in a hash chain for each tenant. They are written in rounds, not with each change.
CREATE TABLE audit_seals (
  position INTEGER PRIMARY KEY,
  subject_tenant_id TEXT NOT NULL,
  previous_position INTEGER NOT NULL,
  row_count INTEGER NOT NULL,
  month TEXT NOT NULL,
  digest TEXT NOT NULL,
  trail TEXT NOT NULL,
  checksum INTEGER NOT NULL
) STRICT;

CREATE INDEX audit_seals_by_tenant ON audit_seals (subject_tenant_id);
${appendOnly("audit_seals")}
-- A restored backup begins an epoch, so that no sequence and no version is assigned twice.
CREATE TABLE epochs (
  number INTEGER PRIMARY KEY,
  began_at INTEGER NOT NULL,
  backup_at INTEGER NOT NULL,
  gap INTEGER NOT NULL,
  new_vault_floor INTEGER NOT NULL,
  checksum INTEGER NOT NULL
) STRICT;
${appendOnly("epochs")}
`;
