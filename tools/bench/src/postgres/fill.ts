import type { Operations } from "@platform-rpc/server/host";
import pg from "pg";
import { deletionAt } from "../delete/deletions.ts";
import { inBatches, putItem, type Size, seed } from "../platform/seed.ts";

/**
 * Copies the first vault. All have the sequence that they have once their items are copied, so that no item gets a sequence that a
 * copy takes.
 */
const copyVaults = ({ vaults, items }: Size) => `
INSERT INTO vaults (tenant_id, vault_id, retention_days, access_revision, sequence, floor)
SELECT tenant_id, 'vault-' || n, retention_days, access_revision, ${items / vaults}, floor
FROM vaults, generate_series(0, ${vaults - 1}) AS n
ON CONFLICT (tenant_id, vault_id) DO UPDATE SET sequence = excluded.sequence;

INSERT INTO vault_members (tenant_id, vault_id, principal_id, role)
SELECT tenant_id, 'vault-' || n, principal_id, role FROM vault_members, generate_series(0, ${vaults - 1}) AS n
ON CONFLICT DO NOTHING;
`;

/** Copies the first item to all items that do not exist. A copied content cannot be decrypted. The audit trail is not copied. */
const copyItems = ({ vaults, items }: Size) => `
INSERT INTO items (tenant_id, vault_id, item_id, version, sequence, state, kind, updated_at, payload_alg, payload_version)
SELECT tenant_id, 'vault-' || n % ${vaults}, 'item-' || n, version, n / ${vaults} + 1, state, kind, updated_at, payload_alg, payload_version
FROM items, generate_series(0, ${items - 1}) AS n WHERE item_id = 'item-0'
ON CONFLICT DO NOTHING;

INSERT INTO contents (tenant_id, vault_id, item_id, content)
SELECT i.tenant_id, i.vault_id, i.item_id, c.content FROM items i, contents c WHERE c.item_id = 'item-0'
ON CONFLICT DO NOTHING;

INSERT INTO content_keys (tenant_id, vault_id, item_id, salt)
SELECT i.tenant_id, i.vault_id, i.item_id, k.salt FROM items i, content_keys k WHERE k.item_id = 'item-0'
ON CONFLICT DO NOTHING;

INSERT INTO changes (tenant_id, vault_id, sequence, item_id, version, state, at)
SELECT tenant_id, vault_id, sequence, item_id, version, state, updated_at FROM items
ON CONFLICT DO NOTHING;
`;

/** Sorts the rows by their keys. Otherwise the items that are deleted would be next to each other on a few pages. */
const sortRows = ["vaults", "vault_members", "items", "contents", "content_keys", "changes"]
  .map((table) => `CLUSTER ${table} USING ${table}_pkey;`)
  .join("\n");

/**
 * Fills an empty database, with a million items in a minute. The platform creates the items of the first `deletions` deletions. SQL
 * copies the others.
 */
export async function fill(url: string, operations: Operations, size: Size, deletions: number): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await seed(operations, { vaults: 1, items: 1 });
  await client.query(copyVaults(size));
  // The first deletion is that of the first item, which exists.
  await inBatches(Math.min(deletions, size.items) - 1, (index) => {
    const { vaultId, itemId } = deletionAt(index + 1, size.items, size.vaults);
    return putItem(operations, vaultId, itemId);
  });
  await client.query(copyItems(size));
  await client.query(sortRows);
  await client.query("VACUUM ANALYZE");
  await client.query("CHECKPOINT");
  await client.end();
}
