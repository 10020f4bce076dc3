import type { DatabaseSync } from "node:sqlite";
import { type ItemRef, type ItemStatus, noEarlier } from "../../../domain/model/item.js";
import { sumOf } from "../../checksum.js";
import { descriptionOf } from "../../engine/apply-write.js";
import type { ItemRow } from "../../engine/working-set.js";
import { damagedRow, integer, prepareGet, type Row, requireChecksum, text } from "../database/columns.js";
import { DamagedRowError } from "../database/sqlite-error.js";
import { createGapCheck } from "./index-gap.js";
import {
  contentChecksum,
  createLoadContent,
  createLoadEarlier,
  descriptionChecksum,
  joinTombstone,
  statusChecksum,
  statusColumns,
  toStoredItem,
  type WrittenContent,
} from "./item-row.js";
import { createPadding } from "./shreddable-text.js";
import { memberChecksum, type VaultRow, vaultChecksum } from "./vaults.js";

/** Items and their contents. */
export function createItems(database: DatabaseSync) {
  // One statement, one row, no content and always the same steps, so that rejections take the same time whatever exists.
  // Without a vault, or if the principal is not a member, the item is looked up in vault 0, which is always empty.
  const selectSnapshot = prepareGet(
    database,
    `
    SELECT ifnull(vaults.id, 0) AS vault, ifnull(retention_days, 0) AS retention_days,
      ifnull(access_revision, 0) AS access_revision, ifnull(vaults.sequence, 0) AS head,
      ifnull(floor, 0) AS floor, ifnull(last_change, 0) AS last_change, ifnull(vaults.checksum, 0) AS vault_checksum,
      ifnull(role, '') AS role, ifnull(vault_members.checksum, 0) AS member_checksum, ${statusColumns}
    FROM (SELECT ? AS asking)
    LEFT JOIN vaults ON tenant_id = ? AND vault_id = ?
    LEFT JOIN vault_members ON vault_members.vault = ifnull(vaults.id, 0) AND principal_id = asking
    LEFT JOIN items
      ON items.vault = iif(role IS NULL AND asking IS NOT NULL, 0, ifnull(vaults.id, 0)) AND item_id = ?
    ${joinTombstone}`,
  );
  const loadContent = createLoadContent(database);
  const loadEarlier = createLoadEarlier(database);
  const checkGap = createGapCheck(database, {
    entries: `
      SELECT indexed_vault, indexed_id, ${statusColumns}
      FROM (
        SELECT vault AS indexed_vault, item_id AS indexed_id, id AS place FROM items INDEXED BY sqlite_autoindex_items_1
      ) LEFT JOIN items ON items.id = place ${joinTombstone}`,
    key: ["indexed_vault", "indexed_id"],
    verify(row) {
      if (integer(row, "item") === 0) throw new DamagedRowError("an index leads to an item that does not exist");
      const ref = { tenantId: "", vaultId: "", itemId: text(row, "indexed_id") };
      toStoredItem(integer(row, "indexed_vault"), ref, row, loadContent);
    },
  });
  const selectDue = database.prepare(`
    SELECT tenant_id, vault_id, item_id, items.vault AS vault, ${statusColumns}
    FROM tombstones CROSS JOIN items ON items.id = item CROSS JOIN vaults ON vaults.id = items.vault
    WHERE shred_at <= ? ORDER BY shred_at LIMIT ?`);
  // Row ids that the statements find are added to the checksums.
  const plusId = `? + ${sumOf(["id"])}`;
  const insert = database.prepare(`
    INSERT INTO items (id, vault, item_id, version, sequence, state, kind, updated_at, payload_alg, payload_version,
      checksum, description_checksum)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`);
  // Not in the statement that inserts: SQLite would copy the row to a temporary table first.
  const selectNext = database.prepare("SELECT ifnull(max(id), 0) + 1 AS id FROM items");
  // Enforces that a version follows the one before it, and that a shredded item never changes, whatever the rules decide.
  const follows = "vault = ? AND item_id = ? AND version = ? - 1 AND state <> 'shredded'";
  const update = database.prepare(`
    UPDATE items SET version = version + 1, sequence = ?, state = ?, updated_at = ?, checksum = ${plusId},
      kind = ?, payload_alg = ?, payload_version = ?, description_checksum = ${plusId}
    WHERE ${follows} RETURNING id`);
  const updateStatus = database.prepare(`
    UPDATE items SET version = version + 1, sequence = ?, state = ?, updated_at = ?, checksum = ${plusId}
    WHERE ${follows} RETURNING id`);
  const insertTombstone = database.prepare(`
    INSERT INTO tombstones (item, version, sequence, deleted_at, shred_at, checksum)
    SELECT id, version + 1, ?, ?, ?, ${plusId} FROM items WHERE ${follows}
    ON CONFLICT DO NOTHING`);
  const takeTombstone = database.prepare(`
    DELETE FROM tombstones WHERE item = (SELECT id FROM items WHERE vault = ? AND item_id = ?)
    RETURNING item, version, sequence, deleted_at, shred_at, checksum`);
  const updateFromTombstone = database.prepare(
    "UPDATE items SET version = ?, sequence = ?, state = ?, updated_at = ?, checksum = ? WHERE id = ?",
  );
  const selectShredded = database.prepare(
    "SELECT id FROM items WHERE vault = ? AND item_id = ? AND version = ? AND state = 'shredded'",
  );
  const selectVault = database.prepare("SELECT id FROM vaults WHERE tenant_id = ? AND vault_id = ?");
  const upsertContent = database.prepare(`
    INSERT INTO contents (item, padding, content, checksum) VALUES (?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET padding = excluded.padding, content = excluded.content, checksum = excluded.checksum`);
  const deleteContent = database.prepare("DELETE FROM contents WHERE item = ?");
  const upsertEarlier = database.prepare(`
    INSERT INTO earlier_contents (item, padding, earlier, checksum) VALUES (?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET padding = excluded.padding, earlier = excluded.earlier, checksum = excluded.checksum`);
  const deleteEarlier = database.prepare("DELETE FROM earlier_contents WHERE item = ?");
  const pageSize = integer(database.prepare("PRAGMA page_size").get() ?? {}, "page_size");
  const paddingOf = createPadding(pageSize);

  /** Moves the status of a deleted item to its own row. */
  const removeTombstone = (vault: number, item: ItemStatus, state: "live" | "shredded"): void => {
    const row = takeTombstone.get(vault, item.itemId);
    if (row === undefined) return;
    const id = integer(row, "item");
    const sequence = integer(row, "sequence");
    const status = { ...item, version: integer(row, "version"), updatedAt: integer(row, "deleted_at"), state };
    const deleted = { ...status, state: "deleted", shredAt: integer(row, "shred_at") } as const;
    requireChecksum(row, statusChecksum(id, vault, sequence, deleted), "tombstones");
    const checksum = statusChecksum(id, vault, sequence, { ...status, shredAt: undefined });
    updateFromTombstone.run(status.version, sequence, state, status.updatedAt, checksum, id);
  };

  /** Returns the id of the row. Undefined: the change does not follow the stored version. */
  const saveRow = (
    { id: vault, head, floor }: VaultRow,
    item: ItemStatus,
    content: WrittenContent | undefined,
  ): number | undefined => {
    const { itemId, version, state, updatedAt, shredAt = null } = item;
    const sequence = head + 1;
    const checksum = statusChecksum(0, vault, sequence, item);
    if (state === "deleted") {
      const status = [sequence, updatedAt, shredAt, checksum] as const;
      const { changes, lastInsertRowid } = insertTombstone.run(...status, vault, itemId, version);
      return changes === 1 ? Number(lastInsertRowid) : undefined;
    }
    removeTombstone(vault, item, "live");
    if (content === undefined)
      return idOf(updateStatus.get(sequence, state, updatedAt, checksum, vault, itemId, version));
    const { kind, alg, payloadVersion } = content;
    if (version === floor + 1) {
      const id = integer(selectNext.get() ?? {}, "id");
      const checksums = [statusChecksum(id, vault, sequence, item), descriptionChecksum(id, kind, alg, payloadVersion)];
      const status = [id, vault, itemId, version, sequence, state, kind, updatedAt] as const;
      insert.run(...status, alg, payloadVersion, ...checksums);
      return id;
    }
    const described = descriptionChecksum(0, kind, alg, payloadVersion);
    const status = [sequence, state, updatedAt, checksum] as const;
    return idOf(update.get(...status, kind, alg, payloadVersion, described, vault, itemId, version));
  };

  return {
    /**
     * Reads an item with its vault and the role of a principal. Without a principal, membership is not required: there is no role. The
     * item is absent for a principal who is not a member.
     */
    read({ tenantId, vaultId, itemId }: ItemRef, principalId: string | undefined) {
      const row = selectSnapshot(principalId ?? null, tenantId, vaultId, itemId) ?? {};
      const id = integer(row, "vault");
      const retentionDays = integer(row, "retention_days");
      const accessRevision = integer(row, "access_revision");
      const role = text(row, "role");
      const vault = { tenantId, vaultId, retentionDays, accessRevision };
      const place: VaultRow = {
        id,
        head: integer(row, "head"),
        floor: integer(row, "floor"),
        lastChange: integer(row, "last_change"),
        vault,
      };
      // Computed in every case, so that all take the same time.
      const checksum = vaultChecksum(place);
      const checksumOfMember = memberChecksum(id, principalId ?? "", role);
      if (id !== 0) requireChecksum(row, checksum, "vaults", "vault_checksum");
      if (role !== "" && integer(row, "member_checksum") !== checksumOfMember)
        throw damagedRow({ vault: id }, "vault_members", { tenantId, vaultId, principalId });
      // Lists every field, because object rest is many times slower.
      const stored = toStoredItem(id, { tenantId, vaultId, itemId }, row, loadContent);
      const { version, updatedAt, state, shredAt, sequence, content } = stored;
      const status = { tenantId, vaultId, itemId, version, updatedAt, state, shredAt };
      const rowId = integer(row, "item");
      const isMissing = rowId === 0;
      // Only for those who may know whether it exists, because it takes time.
      const mayRead = id !== 0 && (principalId === undefined || role !== "");
      if (isMissing && mayRead && itemId !== "") checkGap(id, itemId);
      const description = () => descriptionOf(content());
      const item: ItemRow = { status, sequence, content, description, earlier: () => loadEarlier(rowId) };
      return {
        vault: id === 0 ? undefined : place,
        role: role === "" ? undefined : role,
        item: isMissing ? undefined : item,
      };
    },

    due(now: number, limit: number): ItemRef[] {
      return selectDue.all(now, limit).map((row) => {
        const ref = { tenantId: text(row, "tenant_id"), vaultId: text(row, "vault_id"), itemId: text(row, "item_id") };
        toStoredItem(integer(row, "vault"), ref, row, loadContent);
        return ref;
      });
    },

    /** Writes an item at the next sequence of its vault, with its content if it changed. Returns the id of its row. */
    save(vault: VaultRow, item: ItemStatus, content: WrittenContent | undefined): number {
      const id = saveRow(vault, item, content);
      if (id === undefined) throw new Error("a change does not follow the version in the database");
      if (content === undefined) return id;
      const { json, earlier } = content;
      upsertContent.run(id, paddingOf(json), json, contentChecksum(id, json));
      if (earlier !== noEarlier) upsertEarlier.run(id, paddingOf(earlier), earlier, contentChecksum(id, earlier));
      // An item that was just created has none.
      else if (item.version !== vault.floor + 1) deleteEarlier.run(id);
      return id;
    },

    /** Deletes an item's content and its earlier ones. `secure_delete` overwrites its pages; the caller must truncate the log after the commit. */
    shred(item: ItemStatus): void {
      const vault = integer(selectVault.get(item.tenantId, item.vaultId) ?? { id: 0 }, "id");
      removeTombstone(vault, item, "shredded");
      const row = selectShredded.get(vault, item.itemId, item.version);
      if (row === undefined) throw new Error("the item to shred does not have the version in the database");
      for (const erase of [deleteContent, deleteEarlier]) erase.run(integer(row, "id"));
    },
  };
}

function idOf(row: Row | undefined): number | undefined {
  return row && integer(row, "id");
}
