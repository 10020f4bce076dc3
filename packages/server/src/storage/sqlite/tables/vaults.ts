import type { DatabaseSync } from "node:sqlite";
import { lastSequence, type MemberVault, type Vault } from "../../../domain/vault.js";
import type { MemberVaultQuery } from "../../../ports/queries.js";
import { StorageError } from "../../../ports/storage.js";
import { integer, optional, type Row, text } from "../database/columns.js";

/** A row of `vaults`. */
export interface VaultRow {
  /** The row id. */
  readonly id: number;
  /** The sequence of its newest change. */
  readonly head: number;
  /** Sequences and new versions are greater than it. 0 until a backup was restored. */
  readonly floor: number;
  /** The position of its newest change in `changes`; undefined if it has none. */
  readonly lastChange: number | undefined;
  readonly vault: Vault;
}

/** The next place in the history of the vault with this row id. */
export interface Position {
  readonly vault: number;
  readonly sequence: number;
  readonly floor: number;
  /** The position of the change before it in `changes`; undefined if it is the first. */
  readonly previous: number | undefined;
}

/** Vaults, their members and their newest sequences. */
export function createVaults(database: DatabaseSync) {
  const select = database.prepare("SELECT * FROM vaults WHERE tenant_id = ? AND vault_id = ?");
  const upsert = database.prepare(`
    INSERT INTO vaults (tenant_id, vault_id, retention_days, access_revision, sequence, floor)
    SELECT ?, ?, ?, ?, floor, floor FROM (SELECT coalesce(max(new_vault_floor), 0) AS floor FROM epochs) WHERE true
    ON CONFLICT (tenant_id, vault_id) DO UPDATE SET retention_days = excluded.retention_days, access_revision = excluded.access_revision`);
  const selectHead = database.prepare(`
    SELECT id, sequence, floor, last_change FROM vaults WHERE tenant_id = ? AND vault_id = ?`);
  const advance = database.prepare("UPDATE vaults SET sequence = ?, last_change = ? WHERE id = ?");
  const raiseAccessRevision = database.prepare(`
    UPDATE vaults SET access_revision = access_revision + 1 WHERE tenant_id = ? AND vault_id = ? RETURNING id`);
  const upsertMember = database.prepare(`
    INSERT INTO vault_members (vault, principal_id, role) VALUES (?, ?, ?)
    ON CONFLICT DO UPDATE SET role = excluded.role`);
  const deleteMember = database.prepare("DELETE FROM vault_members WHERE vault = ? AND principal_id = ?");
  const selectRole = database.prepare("SELECT role FROM vault_members WHERE vault = ? AND principal_id = ?");
  // CROSS JOIN begins with the memberships. SQLite would otherwise look for them in every vault of the tenant.
  const selectOfMember = database.prepare(`
    SELECT vault_id, role, retention_days, sequence FROM vault_members CROSS JOIN vaults ON id = vault
    WHERE principal_id = ? AND tenant_id = ? AND vault_id > ? ORDER BY vault_id LIMIT ?`);

  const selectFloor = database.prepare("SELECT coalesce(max(new_vault_floor), 0) AS floor FROM epochs");

  return {
    /** Returns the floor of vaults that are created: see `epoch.ts`. It changes only while no storage is open. */
    newVaultFloor: (): number => integer(selectFloor.get() ?? {}, "floor"),

    find(tenantId: string, vaultId: string): VaultRow | undefined {
      const row = select.get(tenantId, vaultId);
      return (
        row && {
          id: integer(row, "id"),
          head: integer(row, "sequence"),
          floor: integer(row, "floor"),
          lastChange: optional(integer, row, "last_change"),
          vault: toVault(row),
        }
      );
    },

    isMember({ id }: VaultRow, principalId: string): boolean {
      return selectRole.get(id, principalId) !== undefined;
    },

    /** Lists the vaults of a member in the order of their ids. */
    ofMember({ tenantId, principalId, afterVaultId = "", limit }: MemberVaultQuery): readonly MemberVault[] {
      return selectOfMember.all(principalId, tenantId, afterVaultId, limit).map((row) => ({
        vaultId: text(row, "vault_id"),
        role: text(row, "role"),
        retentionDays: integer(row, "retention_days"),
        head: integer(row, "sequence"),
      }));
    },

    save({ tenantId, vaultId, retentionDays, accessRevision }: Vault): void {
      upsert.run(tenantId, vaultId, retentionDays, accessRevision);
    },

    /** Returns the next place in a vault's history, under the lock of the open transaction. */
    next(tenantId: string, vaultId: string): Position {
      const row = selectHead.get(tenantId, vaultId);
      if (row === undefined) throw new Error("a change refers to a vault that does not exist");
      const head = integer(row, "sequence");
      if (head >= lastSequence) throw new StorageError("sequence_exhausted");
      const previous = optional(integer, row, "last_change");
      return { vault: integer(row, "id"), sequence: head + 1, floor: integer(row, "floor"), previous };
    },

    /** Makes a change the newest of its vault. */
    advance({ vault, sequence }: Position, lastChange: number): void {
      advance.run(sequence, lastChange, vault);
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
