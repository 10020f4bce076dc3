import type { DatabaseSync } from "node:sqlite";
import { lastSequence, type Vault } from "../../../domain/vault.js";
import { StorageError } from "../../../ports/storage.js";
import { integer, type Row, text } from "../columns.js";

/** A row of `vaults`. */
export interface VaultRow {
  /** The row id. */
  readonly id: number;
  /** The sequence of its newest change. */
  readonly head: number;
  /** Sequences and new versions are greater than it. 0 until a backup was restored. */
  readonly floor: number;
  readonly vault: Vault;
}

/** A position in the history of the vault with this row id. */
export interface Position {
  readonly vault: number;
  readonly sequence: number;
  readonly floor: number;
}

/** Vaults, their members and their newest sequences. */
export function createVaults(database: DatabaseSync) {
  const select = database.prepare("SELECT * FROM vaults WHERE tenant_id = ? AND vault_id = ?");
  const upsert = database.prepare(`
    INSERT INTO vaults (tenant_id, vault_id, retention_days, access_revision, sequence, floor)
    SELECT ?, ?, ?, ?, floor, floor FROM (SELECT coalesce(max(new_vault_floor), 0) AS floor FROM epochs) WHERE true
    ON CONFLICT (tenant_id, vault_id) DO UPDATE SET retention_days = excluded.retention_days, access_revision = excluded.access_revision`);
  const advance = database.prepare(`
    UPDATE vaults SET sequence = sequence + 1 WHERE tenant_id = ? AND vault_id = ? AND sequence < ${lastSequence}
    RETURNING id, sequence, floor`);
  const raiseAccessRevision = database.prepare(`
    UPDATE vaults SET access_revision = access_revision + 1 WHERE tenant_id = ? AND vault_id = ? RETURNING id`);
  const upsertMember = database.prepare(`
    INSERT INTO vault_members (vault, principal_id, role) VALUES (?, ?, ?)
    ON CONFLICT DO UPDATE SET role = excluded.role`);
  const deleteMember = database.prepare("DELETE FROM vault_members WHERE vault = ? AND principal_id = ?");

  return {
    find(tenantId: string, vaultId: string): VaultRow | undefined {
      const row = select.get(tenantId, vaultId);
      return (
        row && {
          id: integer(row, "id"),
          head: integer(row, "sequence"),
          floor: integer(row, "floor"),
          vault: toVault(row),
        }
      );
    },

    save({ tenantId, vaultId, retentionDays, accessRevision }: Vault): void {
      upsert.run(tenantId, vaultId, retentionDays, accessRevision);
    },

    /** Assigns the next position in a vault's history, under the lock of the open transaction. */
    advance(tenantId: string, vaultId: string): Position {
      const row = advance.get(tenantId, vaultId);
      if (row !== undefined) {
        return { vault: integer(row, "id"), sequence: integer(row, "sequence"), floor: integer(row, "floor") };
      }
      if (select.get(tenantId, vaultId) !== undefined) throw new StorageError("sequence_exhausted");
      throw new Error("a change refers to a vault that does not exist");
    },

    setMember(tenantId: string, vaultId: string, principalId: string, role: string | undefined): void {
      const row = raiseAccessRevision.get(tenantId, vaultId);
      if (row === undefined) throw new Error("a membership refers to a vault that does not exist");
      const vault = integer(row, "id");
      if (role === undefined) deleteMember.run(vault, principalId);
      else upsertMember.run(vault, principalId, role);
    },
  };
}

function toVault(row: Row): Vault {
  return {
    tenantId: text(row, "tenant_id"),
    vaultId: text(row, "vault_id"),
    retentionDays: integer(row, "retention_days"),
    accessRevision: integer(row, "access_revision"),
  };
}
