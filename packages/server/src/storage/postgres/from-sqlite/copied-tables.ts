import { contentJson, type ItemContent, type ItemRef, noEarlier } from "../../../domain/model/item.js";
import { optional, text } from "../../sqlite/database/columns.js";
import { contentColumns, toContent, toDescription, toEarlier } from "../../sqlite/tables/item-row.js";
import { toRecord } from "../../sqlite/tables/records.js";
import type { StoredContent, StoredEarlier } from "../content-cipher.js";
import { type CopiedTable, type PlainRow, plainTable, read } from "./copied-table.js";

const { text: string, integer: number, optionalInteger } = read;
const item = { tenant_id: string, vault_id: string, item_id: string };

// The target has links, too: a record gets its own when it is written next.
const records = plainTable("records", {
  source: "SELECT * FROM records",
  key: ["tenant_id", "collection", "key"],
  columns: {
    tenant_id: string,
    collection: string,
    key: string,
    principal_id: string,
    oauth_client_id: string,
    // Also compares the record with its checksum.
    value: (row) => toRecord(row).value,
    revision: number,
    created_at: number,
    expires_at: optionalInteger,
  },
});

const key = ["tenant_id", "vault_id", "item_id"];

/** The contents of items that are not shredded, with the earlier ones, encrypted again with the content key. */
const copiedContents: CopiedTable = {
  name: "contents",
  fills: { contents: [...key, "content"], content_keys: [...key, "salt"], earlier_contents: [...key, "earlier"] },
  source: `
    SELECT items.id AS id, tenant_id, vault_id, item_id, ${contentColumns}, earlier, earlier_contents.checksum AS checksum
    FROM items CROSS JOIN vaults ON vaults.id = items.vault AND state <> 'shredded'
    LEFT JOIN contents ON contents.item = items.id LEFT JOIN earlier_contents ON earlier_contents.item = items.id`,
  key: ["items.id"],

  fromSource(row) {
    const id = {
      tenant_id: text(row, "tenant_id"),
      vault_id: text(row, "vault_id"),
      item_id: text(row, "item_id"),
    };
    const ref = { tenantId: id.tenant_id, vaultId: id.vault_id, itemId: id.item_id };
    toDescription(row);
    const plain = toContent(row);
    const plainEarlier = optional(text, row, "earlier") === undefined ? noEarlier : toEarlier(row);
    return {
      plain: plainRow(ref, plain, plainEarlier),
      inserts(cipher) {
        const { content, salt, earlier } = cipher.seal(ref, plain, plainEarlier);
        const rows = { contents: { ...id, content: bytes(content) }, content_keys: { ...id, salt: bytes(salt) } };
        return earlier === undefined ? rows : { ...rows, earlier_contents: { ...id, earlier: bytes(earlier) } };
      },
    };
  },

  target: `
    SELECT json_build_object('tenantId', i.tenant_id, 'vaultId', i.vault_id, 'itemId', i.item_id, 'kind', kind,
      'alg', payload_alg, 'payloadVersion', payload_version, 'content', encode(content, 'base64'), 'salt', encode(salt, 'base64'),
      'earlier', encode(earlier, 'base64'))
    FROM items i LEFT JOIN contents c USING (tenant_id, vault_id, item_id)
    LEFT JOIN content_keys k USING (tenant_id, vault_id, item_id)
    LEFT JOIN earlier_contents e USING (tenant_id, vault_id, item_id) WHERE state <> 'shredded'`,

  fromTarget(row, cipher) {
    // Only the query above creates these rows.
    const stored = row as StoredContent & StoredEarlier & PlainRow;
    return plainRow(stored, cipher.open(stored), cipher.openEarlier(stored));
  },
};

/** Every table, in the order in which they are copied. A table of the target is in exactly one of them. */
export const copiedTables: readonly CopiedTable[] = [
  plainTable("vaults", {
    source: "SELECT * FROM vaults",
    key: ["id"],
    columns: {
      tenant_id: string,
      vault_id: string,
      retention_days: number,
      access_revision: number,
      sequence: number,
      floor: number,
    },
  }),
  plainTable("vault_members", {
    source: "SELECT * FROM vault_members CROSS JOIN vaults ON vaults.id = vault",
    key: ["vault", "principal_id"],
    columns: { tenant_id: string, vault_id: string, principal_id: string, role: string },
  }),
  plainTable("items", {
    source: `
      SELECT item_states.*, tenant_id, vault_id FROM item_states CROSS JOIN vaults ON vaults.id = vault`,
    key: ["item_states.id"],
    columns: {
      ...item,
      version: number,
      sequence: number,
      state: string,
      kind: string,
      updated_at: number,
      shred_at: optionalInteger,
      payload_alg: string,
      payload_version: number,
    },
  }),
  plainTable("tombstones", {
    source: `
      SELECT items.id AS id, tenant_id, vault_id, item_id, shred_at
      FROM tombstones CROSS JOIN items ON items.id = item CROSS JOIN vaults ON vaults.id = items.vault`,
    key: ["items.id"],
    columns: { ...item, shred_at: number },
  }),
  copiedContents,
  plainTable("changes", {
    source: `
      SELECT position, tenant_id, vault_id, item_id, changes.sequence AS sequence, changes.version AS version, changes.state AS state, at
      FROM changes CROSS JOIN vaults ON vaults.id = changes.vault CROSS JOIN items ON items.id = changes.item`,
    key: ["position"],
    columns: { ...item, sequence: number, version: number, state: string, at: number },
  }),
  records,
  plainTable("audit", {
    source: "SELECT * FROM audit",
    key: ["position"],
    columns: {
      subject_tenant_id: string,
      position: number,
      at: number,
      tenant_id: string,
      principal_id: string,
      oauth_client_id: string,
      token_id: string,
      operation: string,
      request_id: string,
      subject: string,
      event: string,
      version_before: number,
      version_after: number,
    },
  }),
  plainTable("audit_seals", {
    source: "SELECT * FROM audit_seals",
    key: ["position"],
    columns: {
      subject_tenant_id: string,
      position: number,
      previous_position: number,
      row_count: number,
      month: string,
      digest: string,
      trail: string,
    },
  }),
  plainTable("epochs", {
    source: "SELECT * FROM epochs",
    key: ["number"],
    columns: { number, began_at: number, backup_at: number, gap: number, new_vault_floor: number },
  }),
];

function plainRow({ tenantId, vaultId, itemId }: ItemRef, content: ItemContent, earlier: string): PlainRow {
  return { tenantId, vaultId, itemId, content: contentJson(content), earlier };
}

/** Converts base64 to the text of a bytea. */
function bytes(base64: string): string {
  return `\\x${Buffer.from(base64, "base64").toString("hex")}`;
}
