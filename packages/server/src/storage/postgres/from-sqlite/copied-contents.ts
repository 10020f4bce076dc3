import type { ItemContent, ItemRef } from "../../../domain/model/item.js";
import { text } from "../../sqlite/database/columns.js";
import { contentColumns, toContent } from "../../sqlite/tables/item-row.js";
import type { StoredContent } from "../content-cipher.js";
import type { CopiedTable, PlainRow } from "./copied-table.js";

const key = ["tenant_id", "vault_id", "item_id"];

/** The contents of items that are not shredded, encrypted again with the content key. */
export const copiedContents: CopiedTable = {
  name: "contents",
  fills: { contents: [...key, "content"], content_keys: [...key, "salt"] },
  source: `
    SELECT items.id AS id, tenant_id, vault_id, item_id, ${contentColumns}
    FROM items CROSS JOIN vaults ON vaults.id = items.vault AND state <> 'shredded'
    LEFT JOIN contents ON contents.item = items.id`,
  key: ["items.id"],

  fromSource(row) {
    const id = {
      tenant_id: text(row, "tenant_id"),
      vault_id: text(row, "vault_id"),
      item_id: text(row, "item_id"),
    };
    const ref = { tenantId: id.tenant_id, vaultId: id.vault_id, itemId: id.item_id };
    const plain = toContent(row);
    return {
      plain: plainRow(ref, plain),
      inserts(cipher) {
        const { content, salt } = cipher.seal(ref, plain);
        return { contents: { ...id, content: bytes(content) }, content_keys: { ...id, salt: bytes(salt) } };
      },
    };
  },

  target: `
    SELECT json_build_object('tenantId', i.tenant_id, 'vaultId', i.vault_id, 'itemId', i.item_id, 'kind', kind,
      'alg', payload_alg, 'payloadVersion', payload_version, 'content', encode(content, 'base64'), 'salt', encode(salt, 'base64'))
    FROM items i LEFT JOIN contents c USING (tenant_id, vault_id, item_id)
    LEFT JOIN content_keys k USING (tenant_id, vault_id, item_id) WHERE state <> 'shredded'`,

  fromTarget(row, cipher) {
    // Only the query above creates these rows.
    const stored = row as StoredContent & PlainRow;
    return plainRow(stored, cipher.open(stored));
  },
};

function plainRow({ tenantId, vaultId, itemId }: ItemRef, content: ItemContent): PlainRow {
  const { kind, titleHash, encryptedPayload, wrappedKeys } = content;
  const { alg, nonce, aad, ciphertext, version } = encryptedPayload;
  const keys = wrappedKeys.map(({ recipientId, wrapAlg, wrappedKey }) => ({ recipientId, wrapAlg, wrappedKey }));
  return { tenantId, vaultId, itemId, kind, titleHash, alg, nonce, aad, ciphertext, version, keys };
}

/** Converts base64 to the text of a bytea. */
function bytes(base64: string): string {
  return `\\x${Buffer.from(base64, "base64").toString("hex")}`;
}
