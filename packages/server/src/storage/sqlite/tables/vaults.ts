import type { DatabaseSync } from "node:sqlite";
import { lastSequence, type MemberVault, type Vault } from "../../../domain/model/vault.js";
import type { MemberVaultQuery } from "../../../ports/queries.js";
import { StorageError } from "../../../ports/storage.js";
import { checksumOf } from "../../checksum.js";
import { integer, optional, prepareGet, type Row, requireChecksum, text } from "../database/columns.js";
import { createNewVaultFloor } from "./epochs.js";
import { createGapCheck } from "./index-gap.js";

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

/** How many vaults the writer knows without reading them. */
const knownLimit = 1000;

export function createVaults(database: DatabaseSync) {
  const columns = "id, retention_days, access_revision, sequence, floor, last_change, checksum";
  const select = prepareGet(database, `SELECT ${columns} FROM vaults WHERE tenant_id = ? AND vault_id = ?`);
  const insert = database.prepare(`
    INSERT INTO vaults (id, tenant_id, vault_id, retention_days, access_revision, sequence, floor, checksum)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?)`);
  // Not in the statement that inserts: SQLite would copy the row to a temporary table first.
  const selectNext = database.prepare("SELECT ifnull(max(id), 0) + 1 AS id FROM vaults");
  const update = database.prepare(
    "UPDATE vaults SET retention_days = ?, access_revision = ?, checksum = ? WHERE id = ?",
  );
  const advance = database.prepare("UPDATE vaults SET sequence = ?, last_change = ?, checksum = ? WHERE id = ?");
  const upsertMember = database.prepare(`
    INSERT INTO vault_members (vault, principal_id, role, checksum) VALUES (?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET role = excluded.role, checksum = excluded.checksum`);
  const deleteMember = database.prepare("DELETE FROM vault_members WHERE vault = ? AND principal_id = ?");
  const selectMember = database.prepare(
    "SELECT role, checksum FROM vault_members WHERE vault = ? AND principal_id = ?",
  );
  // CROSS JOIN begins with the memberships. SQLite would otherwise look for them in every vault of the tenant.
  const selectOfMember = database.prepare(`
    SELECT vault_id, vaults.*, role, vault_members.checksum AS member_checksum
    FROM vault_members CROSS JOIN vaults ON id = vault
    WHERE principal_id = ? AND tenant_id = ? AND vault_id > ? ORDER BY vault_id LIMIT ?`);

  const checkGap = createGapCheck(database, {
    entries: `
      SELECT indexed_tenant, indexed_id, vaults.*
      FROM (
        SELECT tenant_id AS indexed_tenant, vault_id AS indexed_id, id AS place FROM vaults INDEXED BY sqlite_autoindex_vaults_1
      ) LEFT JOIN vaults ON vaults.id = place`,
    key: ["indexed_tenant", "indexed_id"],
    verify: (row) => void toVaultRow(text(row, "indexed_tenant"), text(row, "indexed_id"), row),
  });
  const checkMemberGap = createGapCheck(database, {
    entries: "SELECT * FROM vault_members",
    key: ["vault", "principal_id"],
    verify: (row) => {
      const checksum = memberChecksum(integer(row, "vault"), text(row, "principal_id"), text(row, "role"));
      requireChecksum(row, checksum, "vault_members");
    },
  });

  const newVaultFloor = createNewVaultFloor(database);

  const find = (tenantId: string, vaultId: string): VaultRow | undefined => {
    const row = select(tenantId, vaultId);
    return row && toVaultRow(tenantId, vaultId, row);
  };

  /** Vaults as they are stored, by their ids: those that changed last. */
  const known = new Map<string, VaultRow>();
  const idOf = ({ tenantId, vaultId }: Pick<Vault, "tenantId" | "vaultId">) => `${tenantId}\n${vaultId}`;

  const change = (before: VaultRow, vault: Vault): void => {
    known.delete(idOf(vault));
    update.run(vault.retentionDays, vault.accessRevision, vaultChecksum({ ...before, vault }), before.id);
  };

  return {
    find,

    isMember({ id }: VaultRow, principalId: string): boolean {
      const row = selectMember.get(id, principalId);
      if (row !== undefined) requireChecksum(row, memberChecksum(id, principalId, text(row, "role")), "vault_members");
      return row !== undefined;
    },

    /** Lists the vaults of a member in the order of their ids. */
    ofMember({ tenantId, principalId, afterVaultId = "", limit }: MemberVaultQuery): readonly MemberVault[] {
      return selectOfMember.all(principalId, tenantId, afterVaultId, limit).map((row) => {
        const { id, head, vault } = toVaultRow(tenantId, text(row, "vault_id"), row);
        const role = text(row, "role");
        requireChecksum(row, memberChecksum(id, principalId, role), "vault_members", "member_checksum");
        return { vaultId: vault.vaultId, role, retentionDays: vault.retentionDays, head };
      });
    },

    save(vault: Vault): void {
      const { tenantId, vaultId, retentionDays, accessRevision } = vault;
      const before = find(tenantId, vaultId);
      if (before !== undefined) {
        change(before, vault);
        return;
      }
      checkGap(tenantId, vaultId);
      const head = newVaultFloor();
      const id = integer(selectNext.get() ?? {}, "id");
      const checksum = vaultChecksum({ id, head, floor: head, lastChange: undefined, vault });
      insert.run(id, tenantId, vaultId, retentionDays, accessRevision, head, head, checksum);
    },

    /**
     * Returns a vault whose history continues, under the lock of the open transaction. It is read once, because nothing else changes it.
     * If the transaction fails, call `forget`.
     */
    next(tenantId: string, vaultId: string): VaultRow {
      const row = known.get(idOf({ tenantId, vaultId })) ?? find(tenantId, vaultId);
      if (row === undefined) throw new Error("a change refers to a vault that does not exist");
      if (row.head >= lastSequence) throw new StorageError("sequence_exhausted");
      return row;
    },

    /** Makes the change after a vault's head its newest. @param lastChange its position in `changes`. */
    advance({ id, head, floor, vault }: VaultRow, lastChange: number): void {
      const row = { id, head: head + 1, floor, lastChange, vault };
      advance.run(row.head, lastChange, vaultChecksum(row), id);
      if (known.size === knownLimit) known.clear();
      known.set(idOf(vault), row);
    },

    /** Forgets what was not committed. */
    forget(): void {
      known.clear();
    },

    setMember(tenantId: string, vaultId: string, principalId: string, role: string | undefined): void {
      const row = find(tenantId, vaultId);
      if (row === undefined) throw new Error("a membership refers to a vault that does not exist");
      change(row, { ...row.vault, accessRevision: row.vault.accessRevision + 1 });
      if (selectMember.get(row.id, principalId) === undefined) checkMemberGap(row.id, principalId);
      if (role === undefined) deleteMember.run(row.id, principalId);
      else upsertMember.run(row.id, principalId, role, memberChecksum(row.id, principalId, role));
    },
  };
}

/** The integers of a vault's checksum, in their order. */
export const vaultIntegers = ["id", "retention_days", "access_revision", "sequence", "floor", "last_change"] as const;

export function vaultChecksum({ id, head, floor, lastChange, vault }: VaultRow): number {
  const { tenantId, vaultId, retentionDays, accessRevision } = vault;
  return checksumOf([tenantId, vaultId], id, retentionDays, accessRevision, head, floor, lastChange);
}

export function memberChecksum(vault: number, principalId: string, role: string): number {
  return checksumOf([principalId, role], vault);
}

/** Reads a row of `vaults`. @throws DamagedRowError */
export function toVaultRow(tenantId: string, vaultId: string, row: Row): VaultRow {
  const found: VaultRow = {
    id: integer(row, "id"),
    head: integer(row, "sequence"),
    floor: integer(row, "floor"),
    lastChange: optional(integer, row, "last_change"),
    vault: {
      tenantId,
      vaultId,
      retentionDays: integer(row, "retention_days"),
      accessRevision: integer(row, "access_revision"),
    },
  };
  requireChecksum(row, vaultChecksum(found), "vaults");
  return found;
}
