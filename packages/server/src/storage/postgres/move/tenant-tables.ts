import type { TableWithChecksum } from "../schema/checksum.js";

/** What a tenant has in one table, and where it is copied to. */
export interface TenantTable {
  readonly name: TableWithChecksum;
  readonly tenant: string;
  /** The other columns that identify a row of the tenant. */
  readonly key: readonly string[];
  /** Selects the rows of the tenant $1 in the source. */
  readonly source: string;
  /** Selects the rows of the tenant $1 in the target that the source may replace or remove. */
  readonly target: string;
  /** Whether rows are only added: one that exists is never replaced. */
  readonly addedOnly: boolean;
  /** What happens to a row of the target that the source has not. */
  readonly extra: "removed" | "kept" | "an error";
  /** Runs in the target before and after rows are written. $1 are the rows, as JSON. */
  readonly before?: string;
  readonly after?: string;
}

const own = (name: string) => `SELECT * FROM ${name} WHERE tenant_id = $1`;

function tableOf(name: TableWithChecksum, key: readonly string[]): TenantTable {
  const rows = own(name);
  return { name, tenant: "tenant_id", key, source: rows, target: rows, addedOnly: false, extra: "removed" };
}

/** Rows that no cell changes or removes. */
const history = { addedOnly: true, extra: "an error" } as const;

/** The part of the audit trail of the tenant that is in this cell, with what has arrived before. */
function trailOf(name: string, arrived: TableWithChecksum): TenantTable {
  const source = `
    SELECT * FROM ${arrived} WHERE subject_tenant_id = $1
    UNION ALL
    SELECT * FROM ${name} WHERE subject_tenant_id = $1
      AND position > coalesce((SELECT max(position) FROM ${arrived} WHERE subject_tenant_id = $1), 0)`;
  const target = `SELECT * FROM ${arrived} WHERE subject_tenant_id = $1`;
  return { name: arrived, tenant: "subject_tenant_id", key: ["position"], source, target, ...history };
}

/**
 * The records of the installation that belong to the tenant: where its grants are, for tokens and codes that do not name it. And all
 * revocations of tokens of other issuers, because nobody knows their tenants: those of the target stay.
 */
const installation: TenantTable = {
  name: "records",
  tenant: "tenant_id",
  key: ["collection", "key"],
  source: `
    SELECT * FROM records WHERE tenant_id = '-'
      AND (collection = 'revocation' OR collection = 'grant-place' AND value::jsonb->>'tenantId' = $1)`,
  target: `
    SELECT * FROM records WHERE tenant_id = '-' AND collection = 'grant-place' AND value::jsonb->>'tenantId' = $1
    UNION ALL
    SELECT * FROM records WHERE tenant_id = '-' AND collection = 'revocation'`,
  addedOnly: false,
  extra: "kept",
};

const item = ["vault_id", "item_id"];
const rowsGiven = "json_populate_recordset(NULL::items, $1) AS given";

/** Every table with data of tenants. The history and the trail are only added to. */
export const tenantTables: readonly TenantTable[] = [
  { ...tableOf("changes", ["vault_id", "sequence"]), ...history },
  tableOf("contents", item),
  tableOf("content_keys", item),
  tableOf("earlier_contents", item),
  {
    ...tableOf("items", item),
    extra: "an error",
    // A tombstone is found by its time only.
    before: `
      DELETE FROM tombstones AS t USING items AS i, ${rowsGiven}
        WHERE i.tenant_id = given.tenant_id AND i.vault_id = given.vault_id AND i.item_id = given.item_id AND i.state = 'deleted'
          AND t.shred_at = i.shred_at AND t.tenant_id = i.tenant_id AND t.vault_id = i.vault_id AND t.item_id = i.item_id`,
    after: `
      INSERT INTO tombstones (tenant_id, vault_id, item_id, shred_at)
        SELECT tenant_id, vault_id, item_id, shred_at FROM ${rowsGiven} WHERE state = 'deleted'`,
  },
  tableOf("vault_members", ["vault_id", "principal_id"]),
  tableOf("vaults", ["vault_id"]),
  tableOf("records", ["collection", "key"]),
  installation,
  trailOf("audit", "arrived_audit"),
  trailOf("audit_seals", "arrived_audit_seals"),
];

/** They belong to the items, and are written with them. */
export const tombstones: TenantTable = tableOf("tombstones", ["shred_at", ...item]);
