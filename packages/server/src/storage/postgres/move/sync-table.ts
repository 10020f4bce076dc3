import type pg from "pg";
import { rows as checkedRows, type TableWithChecksum } from "../schema/checksum.js";
import { inTransaction } from "./assignment.js";
import type { TenantTable } from "./tenant-tables.js";

/** What a pass over a table has found and written. */
export interface SyncedTable {
  /** The rows that differed, and were written to the target, or removed from it. */
  readonly changed: number;
  /** The rows that differ still. */
  readonly unequal: number;
}

/** Into how many parts the rows of a table are divided: the parts whose sums differ are compared row by row. */
const parts = 4_096;

/** About how many rows are compared at once. */
const comparedAtOnce = 100_000;

/** How many rows are copied in one transaction. */
const copiedAtOnce = 500;

export interface Databases {
  readonly source: pg.ClientBase;
  readonly target: pg.ClientBase;
  /** Does a part of the work in them, which takes a second at most for 100 000 rows. */
  readonly work: <Result>(part: () => Promise<Result>) => Promise<Result>;
  /** Does a part of the work in each of them. */
  readonly inBoth: <Result>(part: (side: "source" | "target") => Promise<Result>) => Promise<readonly [Result, Result]>;
}

/**
 * Makes the rows of a tenant in a table of the target those of the source, and returns what differed. Rows are compared by their
 * checksums, which both databases compute in the same way: first the sums of parts of the table, and then the rows of those that differ. So
 * it copies a table that is missing, continues a copy that was interrupted, and finds the few rows that have changed since the last pass.
 *
 * If nobody writes to the source meanwhile and no row is unequal afterwards, the tables are equal: each row was compared, or it was
 * written, and has the checksum of the source.
 */
export async function syncTable(table: TenantTable, tenantId: string, databases: Databases): Promise<SyncedTable> {
  const { target, work, inBoth } = databases;
  const [there, here] = await inBoth((side) => sumsOf(databases[side], table, table[side], tenantId));
  const differing = [...new Set([...there.keys(), ...here.keys()])].filter(
    (part) => there.get(part)?.sum !== here.get(part)?.sum || there.get(part)?.rows !== here.get(part)?.rows,
  );
  let changed = 0;
  let unequal = 0;
  for (const some of chunks(differing, (part) => Math.max(there.get(part)?.rows ?? 0, here.get(part)?.rows ?? 0))) {
    const [wanted, found] = await inBoth((side) => listRows(databases[side], table, table[side], tenantId, some));
    const stale = [...wanted].filter(([key, checksum]) => found.get(key) !== checksum);
    for (let at = 0; at < stale.length; at += copiedAtOnce) {
      const copied = new Map(stale.slice(at, at + copiedAtOnce));
      const written = await work(() => copyRows(table, tenantId, [...copied.keys()], databases));
      unequal += [...copied].filter(([key, checksum]) => written.get(key) !== checksum).length;
    }
    changed += stale.length;
    const extra = [...found.keys()].filter((key) => !wanted.has(key));
    if (table.extra === "kept" || extra.length === 0) continue;
    if (table.extra === "an error") {
      unequal += extra.length;
      continue;
    }
    const removed = `DELETE FROM ${table.name} AS r USING ${keysGiven(table, "$2")} WHERE r.${table.tenant} = $1 AND ${sameKey(table)}`;
    await target.query(removed, [tenantId, `[${extra.join(",")}]`]);
    changed += extra.length;
  }
  return { changed, unequal };
}

/** Reads the number of rows and the sum of their checksums of each part. */
async function sumsOf(client: pg.ClientBase, table: TenantTable, select: string, tenantId: string) {
  const sql = `
    SELECT part, count(*)::integer AS rows, bit_xor(checksum)::text AS sum
    FROM (SELECT ${partOf(table)} AS part, checksum FROM (${select}) AS r) AS row GROUP BY part`;
  const { rows } = await client.query<{ part: string; rows: number; sum: string }>(sql, [tenantId]);
  return new Map(rows.map(({ part, ...found }) => [part, found]));
}

/** Reads the checksums of the rows of some parts, by their keys. */
async function listRows(
  client: pg.ClientBase,
  table: TenantTable,
  select: string,
  tenantId: string,
  some: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const { rows } = await client.query<[key: string, checksum: string]>({
    text: `SELECT ${keyOf(table, "r")}, r.checksum::text FROM (${select}) AS r WHERE ${partOf(table)} = ANY ($2::bigint[])`,
    values: [tenantId, some],
    rowMode: "array",
  });
  return new Map(rows);
}

/**
 * Copies rows as JSON, which is not parsed in between: it has numbers of 64 bits. Returns the checksums of the rows that were written, by
 * their keys.
 */
async function copyRows(
  table: TenantTable,
  tenantId: string,
  keys: readonly string[],
  { source, target }: Databases,
): Promise<ReadonlyMap<string, string>> {
  // One row at a time, by its key: a join may read all rows of the tenant.
  const { rows } = await source.query<[string | null]>({
    text: `
      SELECT json_agg(row)::text FROM ${keysGiven(table, "$2")}
        CROSS JOIN LATERAL (SELECT * FROM (${table.source}) AS r WHERE ${sameKey(table)} LIMIT 1) AS row`,
    values: [tenantId, `[${keys.join(",")}]`],
    rowMode: "array",
  });
  // All of them may have been removed in the meantime.
  const given = rows[0]?.[0];
  if (given === null || given === undefined) return new Map();
  const columns = columnsOf(table);
  const replaced = columns.map((column) => `${column} = excluded.${column}`).join(", ");
  const conflict = [table.tenant, ...table.key].join(", ");
  return inTransaction(target, async () => {
    if (table.before !== undefined) await target.query(table.before, [given]);
    const written = await target.query<[key: string, checksum: string]>({
      text: `
        INSERT INTO ${table.name} AS r (${columns.join(", ")})
          SELECT ${columns.join(", ")} FROM json_populate_recordset(NULL::${table.name}, $1)
          ON CONFLICT (${conflict}) DO ${table.addedOnly ? "NOTHING" : `UPDATE SET ${replaced}`}
          RETURNING ${keyOf(table, "r")}, r.checksum::text`,
      values: [given],
      rowMode: "array",
    });
    if (table.after !== undefined) await target.query(table.after, [given]);
    return new Map(written.rows);
  });
}

/** The number of the part of a row, by the last column of its key: the same in both databases, whatever their order of texts. */
function partOf(table: TenantTable): string {
  const column = table.key.at(-1) ?? "";
  const number = kindsOf(table.name)[column] === "integer" ? `r.${column}` : `hashtext(r.${column})`;
  return `${number} & ${parts - 1}`;
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

/** The SQL of the key of a row as a JSON object, as `keysGiven` reads it. */
function keyOf({ key }: TenantTable, row: string): string {
  return `json_build_object(${key.map((column) => `'${column}', ${row}.${column}`).join(", ")})::text`;
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
