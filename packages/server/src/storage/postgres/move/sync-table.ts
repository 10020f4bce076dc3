import type pg from "pg";
import { rows as checkedRows, type TableWithChecksum } from "../schema/checksum.js";
import type { TenantTable } from "./tenant-tables.js";

/** What a pass over a table has found and written. */
export interface SyncedTable {
  /** The rows of the tenant in the source. */
  readonly rows: number;
  /** The rows that differed, and were written to the target, or removed from it. */
  readonly changed: number;
}

/** A row by its key, as texts, with its checksum. */
type ListedRow = readonly [key: readonly string[], checksum: string];

/** Into how many parts the rows of a table are divided: the parts whose sums differ are compared row by row. */
const parts = 4_096;

/** About how many rows are compared at once. */
const comparedAtOnce = 20_000;

/** How many rows are copied in one transaction. */
const copiedAtOnce = 500;

/**
 * Makes the rows of a tenant in a table of the target those of the source, and returns what differed. Rows are compared by their
 * checksums, which both databases compute in the same way: first the sums of parts of the table, and then the rows of those that differ. So
 * it copies a table that is missing, continues a copy that was interrupted, and finds the few rows that have changed since the last pass.
 */
export async function syncTable(
  table: TenantTable,
  tenantId: string,
  { source, target }: { readonly source: pg.ClientBase; readonly target: pg.ClientBase },
): Promise<SyncedTable> {
  const [there, here] = await Promise.all([
    sumsOf(source, table, table.source, tenantId),
    sumsOf(target, table, table.target, tenantId),
  ]);
  const differing = [...new Set([...there.keys(), ...here.keys()])].filter(
    (part) => there.get(part)?.sum !== here.get(part)?.sum || there.get(part)?.rows !== here.get(part)?.rows,
  );
  let changed = 0;
  for (const some of chunks(differing, (part) => Math.max(there.get(part)?.rows ?? 0, here.get(part)?.rows ?? 0))) {
    const [wanted, found] = await Promise.all([
      listRows(source, table, table.source, tenantId, some),
      listRows(target, table, table.target, tenantId, some),
    ]);
    const known = new Map(found.map(([key, checksum]) => [JSON.stringify(key), checksum]));
    const stale = wanted.filter(([key, checksum]) => known.get(JSON.stringify(key)) !== checksum).map(([key]) => key);
    const kept = new Set(wanted.map(([key]) => JSON.stringify(key)));
    const extra = found.filter(([key]) => !kept.has(JSON.stringify(key))).map(([key]) => key);
    for (let at = 0; at < stale.length; at += copiedAtOnce) {
      await copyRows(table, tenantId, stale.slice(at, at + copiedAtOnce), { source, target });
    }
    changed += stale.length;
    if (table.changes !== "replaced or removed" || extra.length === 0) continue;
    await target.query(
      `DELETE FROM ${table.name} AS r USING ${keysGiven(table, "$2")} WHERE r.${table.tenant} = $1 AND ${sameKey(table)}`,
      [tenantId, JSON.stringify(extra.map((key) => objectOf(table, key)))],
    );
    changed += extra.length;
  }
  return { rows: [...there.values()].reduce((sum, { rows }) => sum + rows, 0), changed };
}

/** Reads the number of rows and the sum of their checksums of each part. */
async function sumsOf(client: pg.ClientBase, table: TenantTable, select: string, tenantId: string) {
  const sql = `
    SELECT part, count(*)::integer AS rows, bit_xor(checksum)::text AS sum
    FROM (SELECT ${partOf(table)} AS part, checksum FROM (${select}) AS r) AS row GROUP BY part`;
  const { rows } = await client.query<{ part: string; rows: number; sum: string }>(sql, [tenantId]);
  return new Map(rows.map(({ part, ...found }) => [part, found]));
}

async function listRows(
  client: pg.ClientBase,
  table: TenantTable,
  select: string,
  tenantId: string,
  some: readonly string[],
): Promise<readonly ListedRow[]> {
  const key = table.key.map((column) => `r.${column}::text`).join(", ");
  const { rows } = await client.query<[ListedRow]>({
    text: `SELECT json_build_array(json_build_array(${key}), r.checksum::text) FROM (${select}) AS r WHERE ${partOf(table)} = ANY ($2::bigint[])`,
    values: [tenantId, some],
    rowMode: "array",
  });
  return rows.map(([row]) => row);
}

/** Copies rows as JSON, which is not parsed in between: it has numbers of 64 bits. */
async function copyRows(
  table: TenantTable,
  tenantId: string,
  keys: readonly (readonly string[])[],
  { source, target }: { readonly source: pg.ClientBase; readonly target: pg.ClientBase },
): Promise<void> {
  const { rows } = await source.query<[string | null]>({
    text: `SELECT json_agg(r)::text FROM (${table.source}) AS r JOIN ${keysGiven(table, "$2")} ON ${sameKey(table)}`,
    values: [tenantId, JSON.stringify(keys.map((key) => objectOf(table, key)))],
    rowMode: "array",
  });
  // All of them may have been removed in the meantime.
  const given = rows[0]?.[0];
  if (given === null || given === undefined) return;
  const columns = columnsOf(table);
  const replaced = columns.map((column) => `${column} = excluded.${column}`).join(", ");
  const conflict = [table.tenant, ...table.key].join(", ");
  await target.query("BEGIN");
  try {
    if (table.before !== undefined) await target.query(table.before, [given]);
    await target.query(
      `INSERT INTO ${table.name} (${columns.join(", ")}) SELECT ${columns.join(", ")} FROM json_populate_recordset(NULL::${table.name}, $1)
       ON CONFLICT (${conflict}) DO ${table.changes === "none" ? "NOTHING" : `UPDATE SET ${replaced}`}`,
      [given],
    );
    if (table.after !== undefined) await target.query(table.after, [given]);
    await target.query("COMMIT");
  } catch (error) {
    await target.query("ROLLBACK").catch(() => {});
    throw error;
  }
}

/** The number of the part of a row: the same in both databases, whatever their order of texts. */
function partOf({ key }: TenantTable): string {
  return `hashtextextended(concat_ws('/', ${key.map((column) => `r.${column}`).join(", ")}), 0) & ${parts - 1}`;
}

function columnsOf({ name }: TenantTable): readonly string[] {
  return Object.keys(kindsOf(name));
}

function kindsOf(name: TableWithChecksum): Readonly<Record<string, string>> {
  return checkedRows[name];
}

/** Returns the SQL of keys that a parameter contains, as the rows `k`. */
function keysGiven({ name, key }: TenantTable, parameter: string): string {
  const columns = key.map((column) => `${column} ${kindsOf(name)[column] === "integer" ? "bigint" : "text"}`);
  return `jsonb_to_recordset(${parameter}::jsonb) AS k(${columns.join(", ")})`;
}

function sameKey({ key }: TenantTable): string {
  return key.map((column) => `r.${column} = k.${column}`).join(" AND ");
}

function objectOf({ key }: TenantTable, values: readonly string[]): Readonly<Record<string, string | undefined>> {
  return Object.fromEntries(key.map((column, index) => [column, values[index]]));
}

/** Divides parts so that each chunk has about as many rows as are compared at once. */
function* chunks(all: readonly string[], rowsOf: (part: string) => number): Generator<readonly string[]> {
  let some: string[] = [];
  let rows = 0;
  for (const part of all) {
    some.push(part);
    rows += rowsOf(part);
    if (rows < comparedAtOnce) continue;
    yield some;
    some = [];
    rows = 0;
  }
  if (some.length > 0) yield some;
}
