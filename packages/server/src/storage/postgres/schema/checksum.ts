/** How a column takes part in the checksum of its row. */
type Kind = "text" | "integer" | "optional integer" | "jsonb" | "bytea";

const item = { tenant_id: "text", vault_id: "text", item_id: "text" } as const;

const auditColumns = {
  subject_tenant_id: "text",
  position: "integer",
  at: "integer",
  tenant_id: "text",
  principal_id: "text",
  oauth_client_id: "text",
  token_id: "text",
  operation: "text",
  request_id: "text",
  subject: "text",
  event: "text",
  version_before: "integer",
  version_after: "integer",
} as const;

const sealColumns = {
  subject_tenant_id: "text",
  position: "integer",
  previous_position: "integer",
  row_count: "integer",
  month: "text",
  digest: "text",
  trail: "text",
} as const;

/** The columns of every table whose rows have a checksum. */
export const rows = {
  vaults: {
    tenant_id: "text",
    vault_id: "text",
    retention_days: "integer",
    access_revision: "integer",
    sequence: "integer",
    floor: "integer",
  },
  vault_members: { tenant_id: "text", vault_id: "text", principal_id: "text", role: "text" },
  items: {
    ...item,
    version: "integer",
    sequence: "integer",
    state: "text",
    kind: "text",
    updated_at: "integer",
    shred_at: "optional integer",
    payload_alg: "text",
    payload_version: "integer",
  },
  tombstones: { ...item, shred_at: "integer" },
  contents: { ...item, content: "bytea" },
  content_keys: { ...item, salt: "bytea" },
  earlier_contents: { ...item, earlier: "bytea" },
  changes: {
    tenant_id: "text",
    vault_id: "text",
    sequence: "integer",
    item_id: "text",
    version: "integer",
    state: "text",
    at: "integer",
  },
  records: {
    tenant_id: "text",
    collection: "text",
    key: "text",
    principal_id: "text",
    oauth_client_id: "text",
    value: "text",
    revision: "integer",
    created_at: "integer",
    expires_at: "optional integer",
    links: "jsonb",
  },
  audit: auditColumns,
  audit_seals: sealColumns,
  arrived_audit: auditColumns,
  arrived_audit_seals: sealColumns,
  tenants: {
    tenant_id: "text",
    state: "text",
    peer: "text",
    revision: "integer",
    changed_at: "integer",
  },
  epochs: {
    number: "integer",
    began_at: "integer",
    backup_at: "integer",
    gap: "integer",
    new_vault_floor: "integer",
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, Kind>>>>;

export type TableWithChecksum = keyof typeof rows;

const itemKey = Object.keys(item);

/** The columns that identify a row, of an index. */
export const keys = {
  vaults: ["tenant_id", "vault_id"],
  vault_members: ["tenant_id", "vault_id", "principal_id"],
  items: itemKey,
  tombstones: ["shred_at", ...itemKey],
  contents: itemKey,
  content_keys: itemKey,
  earlier_contents: itemKey,
  changes: ["tenant_id", "vault_id", "sequence"],
  records: ["tenant_id", "collection", "key"],
  audit: ["subject_tenant_id", "position", "at"],
  audit_seals: ["subject_tenant_id", "position"],
  arrived_audit: ["subject_tenant_id", "position"],
  arrived_audit_seals: ["subject_tenant_id", "position"],
  epochs: ["number"],
  tenants: ["tenant_id"],
} as const satisfies Readonly<Record<TableWithChecksum, readonly string[]>>;

/** Returns the columns of a table, without the checksum. @param row the name of a row, for columns of it. */
export function columnsOf(table: TableWithChecksum, row?: string): string {
  return Object.keys(rows[table])
    .map((column) => (row === undefined ? column : `${row}.${column}`))
    .join(", ");
}

/**
 * Returns the definition of the column with the checksum of a row: the hash of each column, which begins with the hash of those before.
 * PostgreSQL computes it for every row that is written, by whatever statement, also with a sequence that is assigned in the commit. It
 * has the same value in every version and on every machine, because hash partitions depend on that.
 */
export function checksum(table: TableWithChecksum): string {
  return `checksum bigint NOT NULL GENERATED ALWAYS AS (${hashOf(table)}) STORED`;
}

/** Returns the SQL of whether a row matches its checksum. @param row the name of a row of the table. */
export function sound(table: TableWithChecksum, row: string): string {
  return `${row}.checksum = ${hashOf(table, `${row}.`)}`;
}

/** Returns the SQL of whether an outer join has found no row. One changed bit makes one column null, not both. */
export function absent(table: TableWithChecksum, row: string): string {
  return `ROW(${row}.checksum, ${row}.${keys[table].at(-1)}) IS NULL`;
}

/** Returns the SQL that is true for a row that matches its checksum, NULL without a row, and else fails with the table and the key. */
export function required(table: TableWithChecksum, row: string): string {
  const key = keys[table].map((column) => `${row}.${column}`).join(", ");
  return `CASE WHEN ${absent(table, row)} THEN NULL WHEN ${sound(table, row)} THEN true
    ELSE platform_damaged('${table}', json_build_array(${key})) END`;
}

function hashOf(table: TableWithChecksum, prefix = ""): string {
  return Object.entries(rows[table]).reduce((hash, [name, kind]) => extended(kind, prefix + name, hash), "0");
}

function extended(kind: Kind, column: string, hash: string): string {
  switch (kind) {
    case "text":
      return `hashtextextended(${column}, ${hash})`;
    case "integer":
      return `hashint8extended(${column}, ${hash})`;
    case "optional integer":
      return `hashint8extended(coalesce(${column}, 0), ${hash})`;
    case "jsonb":
      return `jsonb_hash_extended(${column}, ${hash})`;
    case "bytea":
      return `hash_record_extended(ROW(${column}), ${hash})`;
  }
}
