import type { DatabaseSync } from "node:sqlite";
import type { ItemContent, ItemRef, ItemStatus } from "../../../domain/item.js";
import { descriptionOf } from "../../engine/apply-write.js";
import type { VaultRow as EngineVault, ItemRow } from "../../engine/working-set.js";
import { integer, text } from "../database/columns.js";
import {
  contentChecksum,
  contentJson,
  createLoadContent,
  joinTombstone,
  statusColumns,
  toStoredItem,
} from "./item-row.js";
import { createShreddableText } from "./shreddable-text.js";
import type { Position } from "./vaults.js";

/** Items and their contents. */
export function createItems(database: DatabaseSync) {
  // One statement, one row, no content and always the same steps, so that rejections take the same time whatever exists.
  // Without a vault, or if the principal is not a member, the item is looked up in vault 0, which is always empty.
  const selectSnapshot = database.prepare(`
    SELECT ifnull(vaults.id, 0) AS vault, ifnull(retention_days, 0) AS retention_days,
      ifnull(access_revision, 0) AS access_revision, ifnull(vaults.sequence, 0) AS head,
      ifnull(floor, 0) AS floor, ifnull(role, '') AS role, ${statusColumns}
    FROM (SELECT ? AS asking)
    LEFT JOIN vaults ON tenant_id = ? AND vault_id = ?
    LEFT JOIN vault_members ON vault_members.vault = ifnull(vaults.id, 0) AND principal_id = asking
    LEFT JOIN items
      ON items.vault = iif(role IS NULL AND asking IS NOT NULL, 0, ifnull(vaults.id, 0)) AND item_id = ?
    ${joinTombstone}`);
  const loadContent = createLoadContent(database);
  const selectDue = database.prepare(`
    SELECT tenant_id, vault_id, item_id
    FROM tombstones CROSS JOIN items ON items.id = item CROSS JOIN vaults ON vaults.id = items.vault
    WHERE shred_at <= ? ORDER BY shred_at LIMIT ?`);
  const insert = database.prepare(`
    INSERT INTO items (vault, item_id, version, sequence, state, kind, updated_at, payload_alg, payload_version)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id`);
  // Enforces that a version follows the one before it, and that a shredded item never changes, whatever the rules decide.
  const follows = "vault = ? AND item_id = ? AND version = ? - 1 AND state <> 'shredded'";
  const update = database.prepare(`
    UPDATE items SET version = version + 1, sequence = ?, state = ?, kind = ?, updated_at = ?,
      payload_alg = ?, payload_version = ?
    WHERE ${follows} RETURNING id`);
  const updateStatus = database.prepare(`
    UPDATE items SET version = version + 1, sequence = ?, state = ?, updated_at = ? WHERE ${follows} RETURNING id`);
  const insertTombstone = database.prepare(`
    INSERT INTO tombstones (item, version, sequence, deleted_at, shred_at)
    SELECT id, version + 1, ?, ?, ? FROM items WHERE ${follows}
    ON CONFLICT DO NOTHING RETURNING item AS id`);
  const takeTombstone = database.prepare(`
    DELETE FROM tombstones WHERE item = (SELECT id FROM items WHERE vault = ? AND item_id = ?)
    RETURNING item, version, sequence, deleted_at`);
  const updateFromTombstone = database.prepare(
    "UPDATE items SET version = ?, sequence = ?, updated_at = ? WHERE id = ?",
  );
  const shred = database.prepare(`
    UPDATE items SET state = 'shredded' WHERE vault = ? AND item_id = ? AND version = ? RETURNING id`);
  const selectVault = database.prepare("SELECT id FROM vaults WHERE tenant_id = ? AND vault_id = ?");
  const upsertContent = database.prepare(`
    INSERT INTO contents (item, content, checksum) VALUES (?, ?, ?)
    ON CONFLICT DO UPDATE SET content = excluded.content, checksum = excluded.checksum`);
  const deleteContent = database.prepare("DELETE FROM contents WHERE item = ?");
  const pageSize = integer(database.prepare("PRAGMA page_size").get() ?? {}, "page_size");
  const shreddableText = createShreddableText(pageSize);

  /** Moves the status of a deleted item to its own row. */
  const removeTombstone = (vault: number, itemId: string): void => {
    const row = takeTombstone.get(vault, itemId);
    if (row === undefined) return;
    const status = [integer(row, "version"), integer(row, "sequence"), integer(row, "deleted_at")];
    updateFromTombstone.run(...status, integer(row, "item"));
  };

  const saveRow = ({ vault, sequence, floor }: Position, item: ItemStatus, content: ItemContent | undefined) => {
    const { itemId, version, state, updatedAt, shredAt = null } = item;
    if (state === "deleted") return insertTombstone.get(sequence, updatedAt, shredAt, vault, itemId, version);
    removeTombstone(vault, itemId);
    if (content === undefined) return updateStatus.get(sequence, state, updatedAt, vault, itemId, version);
    const { kind, encryptedPayload } = content;
    const { alg, version: payloadVersion } = encryptedPayload;
    return version === floor + 1
      ? insert.get(vault, itemId, version, sequence, state, kind, updatedAt, alg, payloadVersion)
      : update.get(sequence, state, kind, updatedAt, alg, payloadVersion, vault, itemId, version);
  };

  const saveContent = (id: number, content: ItemContent): void => {
    const { alg, version } = content.encryptedPayload;
    const stored = shreddableText(contentJson(content));
    upsertContent.run(id, stored, contentChecksum(id, content.kind, alg, version, stored));
  };

  return {
    /**
     * Reads an item with its vault and the role of a principal. Without a principal, membership is not required: there is no role. The
     * item is absent for a principal who is not a member.
     */
    read({ tenantId, vaultId, itemId }: ItemRef, principalId: string | undefined) {
      const row = selectSnapshot.get(principalId ?? null, tenantId, vaultId, itemId) ?? {};
      const retentionDays = integer(row, "retention_days");
      const accessRevision = integer(row, "access_revision");
      const role = text(row, "role");
      const vault = { tenantId, vaultId, retentionDays, accessRevision };
      const place: EngineVault = { vault, head: integer(row, "head"), floor: integer(row, "floor") };
      // Lists every field, because object rest is many times slower.
      const stored = toStoredItem({ tenantId, vaultId, itemId }, row, loadContent);
      const { version, updatedAt, state, shredAt, sequence, content } = stored;
      const status = { tenantId, vaultId, itemId, version, updatedAt, state, shredAt };
      const item: ItemRow = { status, sequence, content, description: () => descriptionOf(content()) };
      return {
        vault: integer(row, "vault") === 0 ? undefined : place,
        role: role === "" ? undefined : role,
        item: integer(row, "item") === 0 ? undefined : item,
      };
    },

    due(now: number, limit: number): ItemRef[] {
      return selectDue.all(now, limit).map((row) => ({
        tenantId: text(row, "tenant_id"),
        vaultId: text(row, "vault_id"),
        itemId: text(row, "item_id"),
      }));
    },

    /** Writes an item at its new position, with its content if it changed. Returns the id of its row. */
    save(position: Position, item: ItemStatus, content: ItemContent | undefined): number {
      const row = saveRow(position, item, content);
      if (row === undefined) throw new Error("a change does not follow the version in the database");
      const id = integer(row, "id");
      if (content !== undefined) saveContent(id, content);
      return id;
    },

    /** Deletes an item's content. `secure_delete` overwrites its pages; the caller must truncate the log after the commit. */
    shred({ tenantId, vaultId, itemId, version }: ItemStatus): void {
      const vault = integer(selectVault.get(tenantId, vaultId) ?? { id: 0 }, "id");
      removeTombstone(vault, itemId);
      const row = shred.get(vault, itemId, version);
      if (row === undefined) throw new Error("the item to shred does not have the version in the database");
      deleteContent.run(integer(row, "id"));
    },
  };
}
