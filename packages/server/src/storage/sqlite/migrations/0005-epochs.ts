/**
 * Epochs: a restored backup begins a new one, so that no sequence and no version is assigned twice.
 *
 * `floor`: the current epoch assigns only sequences and versions above it; earlier epochs assigned none above it. A sequence
 * below the floor belongs to the history only if `changes` contains it.
 */
export const epochs = `
ALTER TABLE vaults ADD COLUMN floor INTEGER NOT NULL DEFAULT 0;

CREATE TABLE epochs (
  number INTEGER PRIMARY KEY,
  began_at INTEGER NOT NULL,
  backup_at INTEGER NOT NULL,
  gap INTEGER NOT NULL,
  new_vault_floor INTEGER NOT NULL
) STRICT;

CREATE TRIGGER epochs_stand BEFORE UPDATE ON epochs
BEGIN SELECT RAISE(ABORT, 'epochs is append-only'); END;
CREATE TRIGGER epochs_stay BEFORE DELETE ON epochs
BEGIN SELECT RAISE(ABORT, 'epochs is append-only'); END;
`;
