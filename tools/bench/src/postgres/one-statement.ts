import type { Storage } from "@platform-rpc/server";
import type { Committed, Item, Ref } from "@platform-rpc/server/host";
import pg from "pg";
import { caller } from "../platform/bench-platform.ts";
import { fixtureItem } from "../platform/fixture.ts";
import { itemName, vaultName } from "../platform/seed.ts";

/** The tables of a service that deletes an item with one statement. */
const tables = `
CREATE TABLE stock_vaults (
  tenant_id text, vault_id text, retention_days integer NOT NULL, sequence bigint NOT NULL, PRIMARY KEY (tenant_id, vault_id));
CREATE TABLE stock_members (
  tenant_id text, vault_id text, principal_id text, role text NOT NULL, PRIMARY KEY (tenant_id, vault_id, principal_id));
CREATE TABLE stock_items (
  tenant_id text, vault_id text, item_id text, version bigint NOT NULL, sequence bigint NOT NULL, state text NOT NULL,
  updated_at bigint NOT NULL, shred_at bigint, content jsonb NOT NULL, PRIMARY KEY (tenant_id, vault_id, item_id));
CREATE TABLE stock_changes (
  tenant_id text, vault_id text, sequence bigint, item_id text NOT NULL, version bigint NOT NULL, state text NOT NULL,
  at bigint NOT NULL, PRIMARY KEY (tenant_id, vault_id, sequence));
CREATE TABLE stock_audit (
  position bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, tenant_id text NOT NULL, at bigint NOT NULL, record jsonb NOT NULL);
`;

const deletion = `
WITH allowed AS (
  SELECT v.retention_days FROM stock_vaults v JOIN stock_members m USING (tenant_id, vault_id)
  WHERE v.tenant_id = $1 AND v.vault_id = $2 AND m.principal_id = $4 AND m.role IN ('owner', 'admin', 'member')
), vault AS (
  UPDATE stock_vaults v SET sequence = v.sequence + 1 FROM allowed, stock_items i
  WHERE v.tenant_id = $1 AND v.vault_id = $2 AND i.tenant_id = $1 AND i.vault_id = $2 AND i.item_id = $3
    AND i.version = $5 AND i.state = 'live'
  RETURNING v.sequence, v.retention_days
), item AS (
  UPDATE stock_items i SET version = i.version + 1, sequence = vault.sequence, state = 'deleted', updated_at = $6,
    shred_at = $6 + vault.retention_days * 86400000::bigint
  FROM vault WHERE i.tenant_id = $1 AND i.vault_id = $2 AND i.item_id = $3 AND i.version = $5 AND i.state = 'live'
  RETURNING i.version, i.sequence, i.updated_at, i.shred_at, i.content
), change AS (
  INSERT INTO stock_changes SELECT $1, $2, sequence, $3, version, 'deleted', updated_at FROM item
), audit AS (
  INSERT INTO stock_audit (tenant_id, at, record) SELECT $1, $6, $7::jsonb FROM item
)
SELECT version::integer, sequence::integer, updated_at::float8, shred_at::float8, content FROM item`;

const operation = "platform.v1.VaultService/DeleteItem";

interface DeletedRow {
  readonly version: number;
  readonly sequence: number;
  readonly updated_at: number;
  readonly shred_at: number;
  readonly content: Pick<Item, "kind" | "titleHash" | "encryptedPayload" | "wrappedKeys">;
}

/**
 * Replaces the deletions of a storage: one prepared statement for each, on a pool of ten connections, as a service without batching
 * does. Content is not encrypted at rest.
 */
export function withOneStatement(storage: Storage, url: string): Storage {
  const pool = new pg.Pool({ connectionString: url, max: 10 });

  const deleteItem = async (ref: Extract<Ref, { kind: "item" }>): Promise<Committed<unknown>> => {
    const { tenantId, vaultId, itemId, principalId } = ref;
    // The load deletes every item once, so that each has its first version.
    const values = [tenantId, vaultId, itemId, principalId, 1, Date.now(), JSON.stringify({ ...caller, operation })];
    const { rows } = await pool.query<DeletedRow>({ name: "delete", text: deletion, values });
    const [row] = rows;
    if (row === undefined) throw new Error(`The item ${itemId} was not deleted.`);
    const { content, version, sequence, updated_at: updatedAt, shred_at: shredAt } = row;
    const item = { ...content, tenantId, vaultId, itemId, version, updatedAt, shredAt, state: "deleted" };
    return { outcome: { ok: true, item }, sequence };
  };

  return {
    ...storage,
    transact: (ref, rule, options) =>
      ref.kind === "item"
        ? // The only rule about items here is deleteItem, and this is its outcome.
          (deleteItem(ref) as ReturnType<typeof storage.transact<typeof ref, never>>)
        : storage.transact(ref, rule, options),
  };
}

/** Creates the tables, and items with the content of the fixture, spread over the vaults. */
export async function seedOneStatement(url: string, size: { vaults: number; items: number }): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { tenantId, principalId } = caller;
  const { kind, titleHash, encryptedPayload, wrappedKeys } = fixtureItem;
  await client.query(tables);
  const vaults = Array.from({ length: size.vaults }, (_, index) => vaultName(index));
  await client.query("INSERT INTO stock_vaults SELECT $1, unnest($2::text[]), 30, 0", [tenantId, vaults]);
  await client.query("INSERT INTO stock_members SELECT $1, unnest($2::text[]), $3, 'owner'", [
    tenantId,
    vaults,
    principalId,
  ]);
  const content = JSON.stringify({ kind, titleHash, encryptedPayload, wrappedKeys });
  const items = Array.from({ length: size.items }, (_, index) => index);
  await client.query(
    `INSERT INTO stock_items SELECT $1, v, i, 1, 0, 'live', 0, NULL, $4::jsonb FROM unnest($2::text[], $3::text[]) AS r(v, i)`,
    [tenantId, items.map((index) => vaultName(index % size.vaults)), items.map(itemName), content],
  );
  await client.query("ANALYZE");
  await client.end();
}
