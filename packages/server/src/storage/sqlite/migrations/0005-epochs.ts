/**
 * Epochs: a restored backup begins a new one, so that no sequence and no version is assigned twice.
 *
 * `floor`: the vault's sequences and the versions of its items in the current epoch are greater than it; all that may have
 * been assigned before are not. A sequence up to the floor belongs to the history if `changes` contains it.
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
