/**
 * Keeps the deletions of items in a table of their own. A deletion changed a row of `items`, which was on another page of the file for
 * almost each deletion, and each of these pages was written twice: to the log, and by the next checkpoint. `tombstones` contains only
 * items that can still be restored, so it is small.
 *
 * A row of `items` is that of the last live version. The tombstone replaces its version, sequence and time: see `item_states`.
 */
export const tombstones = `
CREATE TABLE tombstones (
  item INTEGER PRIMARY KEY REFERENCES items,
  version INTEGER NOT NULL,
  sequence INTEGER NOT NULL,
  deleted_at INTEGER NOT NULL,
  shred_at INTEGER NOT NULL
) STRICT;
INSERT INTO tombstones SELECT id, version, sequence, updated_at, shred_at FROM items WHERE state = 'deleted' ORDER BY id;

CREATE INDEX tombstones_due ON tombstones (shred_at);

CREATE TABLE new_items (
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
  UNIQUE (vault, item_id)
) STRICT;
INSERT INTO new_items
SELECT id, vault, item_id, version, sequence, iif(state = 'deleted', 'live', state), kind, updated_at, payload_alg, payload_version
FROM items ORDER BY id;
DROP TABLE items;
ALTER TABLE new_items RENAME TO items;

CREATE TRIGGER items_stay BEFORE DELETE ON items
BEGIN SELECT RAISE(ABORT, 'items are never removed: an item id is never reused'); END;

CREATE VIEW item_states AS
SELECT items.id, vault, item_id, ifnull(tombstones.version, items.version) AS version,
  ifnull(tombstones.sequence, items.sequence) AS sequence, iif(tombstones.item IS NULL, state, 'deleted') AS state, kind,
  ifnull(deleted_at, updated_at) AS updated_at, shred_at, payload_alg, payload_version
FROM items LEFT JOIN tombstones ON tombstones.item = items.id;
`;
