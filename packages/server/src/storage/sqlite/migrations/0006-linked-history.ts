/**
 * Lets a change of an item write few pages, however many items and vaults there are: its own row, and the ends of `changes` and
 * `audit`. The indexes on (vault, sequence) of `items` and `changes` wrote three more.
 *
 * The history of a vault is a linked list instead: each change refers to the one before it (`previous`), and the vault to the
 * newest (`last_change`). A landmark at every 256th sequence is where reading can begin. Positions ascend in commit order.
 *
 * SQLite cannot drop a constraint, so both tables are copied.
 */
export const linkedHistory = `
CREATE TABLE new_items (
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
  CHECK ((shred_at IS NOT NULL) = (state = 'deleted'))
) STRICT;
INSERT INTO new_items SELECT * FROM items;
DROP TABLE items;
ALTER TABLE new_items RENAME TO items;

CREATE INDEX items_due ON items (shred_at) WHERE shred_at IS NOT NULL;

CREATE TRIGGER items_stay BEFORE DELETE ON items
BEGIN SELECT RAISE(ABORT, 'items are never removed: an item id is never reused'); END;

CREATE TABLE new_changes (
  position INTEGER PRIMARY KEY,
  vault INTEGER NOT NULL REFERENCES vaults,
  sequence INTEGER NOT NULL,
  item INTEGER NOT NULL REFERENCES items,
  version INTEGER NOT NULL,
  state TEXT NOT NULL,
  at INTEGER NOT NULL,
  previous INTEGER
) STRICT;
INSERT INTO new_changes
SELECT position, vault, sequence, item, version, state, at, lag(position) OVER (PARTITION BY vault ORDER BY sequence)
FROM changes ORDER BY position;
DROP TABLE changes;
ALTER TABLE new_changes RENAME TO changes;

CREATE TRIGGER changes_stand BEFORE UPDATE ON changes
BEGIN SELECT RAISE(ABORT, 'changes is append-only'); END;
CREATE TRIGGER changes_stay BEFORE DELETE ON changes
BEGIN SELECT RAISE(ABORT, 'changes is append-only'); END;

CREATE TABLE landmarks (
  vault INTEGER NOT NULL REFERENCES vaults,
  sequence INTEGER NOT NULL,
  position INTEGER NOT NULL REFERENCES changes,
  PRIMARY KEY (vault, sequence)
) STRICT, WITHOUT ROWID;
INSERT INTO landmarks SELECT vault, sequence, position FROM changes WHERE sequence % 256 = 0 ORDER BY vault, sequence;

ALTER TABLE vaults ADD COLUMN last_change INTEGER;
UPDATE vaults SET last_change = position FROM (SELECT vault, max(position) AS position FROM changes GROUP BY vault)
WHERE vault = vaults.id;
`;
