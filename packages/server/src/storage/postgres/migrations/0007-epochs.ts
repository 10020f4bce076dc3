/** Epochs: a restored database begins a new one, so that no sequence and no version is assigned twice. */
export const epochs = `
CREATE TABLE epochs (
  number bigint PRIMARY KEY,
  began_at bigint NOT NULL,
  backup_at bigint NOT NULL,
  gap bigint NOT NULL,
  new_vault_floor bigint NOT NULL
);
CREATE TRIGGER epochs_stand BEFORE UPDATE OR DELETE ON epochs EXECUTE FUNCTION reject_change();
`;
