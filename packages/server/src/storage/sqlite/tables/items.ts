import type { DatabaseSync } from "node:sqlite";
import type { Item, ItemChange, ItemRef } from "../../../domain/item.js";
import { integer, text } from "../columns.js";
import { createShreddableText } from "../shreddable-text.js";
import { contentJson, itemColumns, toItem } from "./item-row.js";
import type { Position, VaultRow } from "./vaults.js";

/** Items and their contents. */
export function createItems(database: DatabaseSync) {
  const select = database.prepare(`
    SELECT ${itemColumns} FROM items LEFT JOIN contents ON contents.item = items.id WHERE vault = ? AND item_id = ?`);
  const selectChanged = database.prepare(`
    SELECT ${itemColumns} FROM items LEFT JOIN contents ON contents.item = items.id
    WHERE vault = ? AND sequence > ? ORDER BY sequence LIMIT ?`);
  const selectDue = database.prepare(`
    SELECT tenant_id, vault_id, item_id FROM items JOIN vaults ON vaults.id = items.vault
    WHERE shred_at <= ? ORDER BY shred_at LIMIT ?`);
  const insert = database.prepare(`
    INSERT INTO items (vault, item_id, version, sequence, state, kind, updated_at, shred_at, payload_alg, payload_version)
    VALUES (?, ?, 1, ?, ?, ?, ?, ?, ?, ?) RETURNING id`);
  // A version follows the one before it, and a shredded item stays what it is, whatever the rules conclude.
  const update = database.prepare(`
    UPDATE items SET version = version + 1, sequence = ?, state = ?, kind = ?, updated_at = ?, shred_at = ?,
      payload_alg = ?, payload_version = ?
    WHERE vault = ? AND item_id = ? AND version = ? - 1 AND state <> 'shredded' RETURNING id`);
  const shred = database.prepare(`
    UPDATE items SET state = 'shredded', shred_at = NULL
    WHERE vault = (SELECT id FROM vaults WHERE tenant_id = ? AND vault_id = ?) AND item_id = ? AND version = ?
    RETURNING id`);
  // A change that leaves the content as it is, as a deletion does, does not touch its pages.
  const upsertContent = database.prepare(`
    INSERT INTO contents (item, content) VALUES (?, ?)
    ON CONFLICT DO UPDATE SET content = excluded.content WHERE content <> excluded.content`);
  const deleteContent = database.prepare("DELETE FROM contents WHERE item = ?");
  const shreddableText = createShreddableText(pageSize(database));

  return {
    find({ id, vault }: VaultRow, itemId: string): Item | undefined {
      const row = select.get(id, itemId);
      return row && toItem(vault, row);
    },

    /** Items whose newest change lies after a position, in the order of sequences. */
    changedAfter({ id, vault }: VaultRow, sequence: number, limit: number): Item[] {
      return selectChanged.all(id, sequence, limit).map((row) => toItem(vault, row));
    },

    due(now: number, limit: number): ItemRef[] {
      return selectDue.all(now, limit).map((row) => ({
        tenantId: text(row, "tenant_id"),
        vaultId: text(row, "vault_id"),
        itemId: text(row, "item_id"),
      }));
    },

    /** Writes an item at its new position, and returns the id of its row. */
    save({ vault, sequence }: Position, item: ItemChange): number {
      const { itemId, version, state, kind, updatedAt, shredAt = null } = item;
      const { alg, version: payloadVersion } = item.encryptedPayload;
      const row =
        version === 1
          ? insert.get(vault, itemId, sequence, state, kind, updatedAt, shredAt, alg, payloadVersion)
          : update.get(sequence, state, kind, updatedAt, shredAt, alg, payloadVersion, vault, itemId, version);
      if (row === undefined) throw new Error("a change does not follow the version that is stored");
      const id = integer(row, "id");
      upsertContent.run(id, shreddableText(contentJson(item)));
      return id;
    },

    /** Ends an item's content. `secure_delete` overwrites its pages; the log is for the one who commits to truncate. */
    shred({ tenantId, vaultId, itemId, version }: ItemChange): void {
      const row = shred.get(tenantId, vaultId, itemId, version);
      if (row === undefined) throw new Error("the item to shred is not at the version that is stored");
      deleteContent.run(integer(row, "id"));
    },
  };
}

function pageSize(database: DatabaseSync): number {
  return integer(database.prepare("PRAGMA page_size").get() ?? {}, "page_size");
}
