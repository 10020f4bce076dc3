import { setTimeout } from "node:timers/promises";
import pg from "pg";
import { describe, expect, it, onTestFinished } from "vitest";
import { beginPostgresEpoch } from "../../../src/storage/postgres/begin-epoch.js";
import { openPostgresCell } from "../../../src/storage/postgres/cell.js";
import { createPostgresStorage } from "../../../src/storage/postgres/create-postgres-storage.js";
import { rows } from "../../../src/storage/postgres/schema/checksum.js";
import { createTestDatabase, runSql } from "../../../src/storage/postgres/testing/test-database.js";
import {
  documentedTables,
  expectDocumented,
  fillForRot,
  flipped,
  isNoticed,
  isWritten,
  readAll,
  rotRows,
  writeAll,
  wrongAnswers,
} from "../../../src/storage/testing/bit-rot.js";
import { contentKey } from "./testing/open-storages.js";

interface Column {
  readonly table: string;
  readonly column: string;
  readonly type: string;
  /** Whether it is in the primary key. */
  readonly key: boolean;
}

/** One value of a row. */
interface Cell {
  /** The row as JSON: a text, because JavaScript has no numbers of 64 bits. */
  readonly row: string;
  readonly value: string;
}

/** Creates a database with data, and a connection that can damage it. */
async function createDatabase() {
  const url = await createTestDatabase();
  await beginPostgresEpoch({ url, now: 1, gap: 0 });
  const storage = await createPostgresStorage({ url, contentKey });
  await fillForRot(storage);
  await storage.close();
  const assignments = await openPostgresCell({ url });
  for (const { tenantId } of await assignments.list()) await assignments.assign(tenantId);
  await assignments.close();
  // The trail of a tenant that has arrived, and that no call reads.
  for (const table of ["audit", "audit_seals"] as const) {
    const columns = Object.keys(rows[table]).filter((column) => column !== "subject_tenant_id");
    await runSql(
      url,
      `INSERT INTO arrived_${table} (subject_tenant_id, ${columns.join(", ")}) SELECT 'arrived', ${columns.join(", ")} FROM ${table}`,
    );
  }
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  onTestFinished(() => client.end());
  const query = async (sql: string, ...values: readonly unknown[]) =>
    (await client.query<Record<string, unknown>>(sql, [...values])).rows;
  return { url, query };
}

type Query = Awaited<ReturnType<typeof createDatabase>>["query"];

/** Lists every column of every table, without those of the partitions of the audit trail. */
async function columnsOf(query: Query): Promise<Column[]> {
  const found = await query(`
    SELECT c.relname AS table, a.attname AS column, format_type(a.atttypid, NULL) AS type,
      EXISTS (SELECT FROM pg_index AS i WHERE i.indrelid = c.oid AND i.indisprimary AND a.attnum = ANY (i.indkey)) AS key
    FROM pg_class AS c JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
    WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition ORDER BY 1, a.attnum`);
  return found.map(({ table, column, type, key }) => {
    return { table: String(table), column: String(column), type: String(type), key: key === true };
  });
}

/**
 * Lets a bit of a column change without its checksum, which PostgreSQL computes at each update: a trigger computes it instead, which does
 * not fire for a replica. All constraints of values are dropped.
 */
async function allowDamage(query: Query, tables: readonly string[]): Promise<void> {
  for (const table of tables) {
    const [{ hash } = {}] = await query(
      "SELECT pg_get_expr(adbin, adrelid) AS hash FROM pg_attrdef JOIN pg_attribute ON attrelid = adrelid AND attnum = adnum WHERE adrelid = $1::regclass AND attname = 'checksum'",
      table,
    );
    await query(`ALTER TABLE ${table} ALTER COLUMN checksum DROP EXPRESSION`);
    await query(`
      CREATE FUNCTION checksum_of_${table}() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN NEW.checksum := (SELECT ${String(hash)} FROM (SELECT (NEW).*) AS row); RETURN NEW; END $$`);
    await query(
      `CREATE TRIGGER checksum BEFORE INSERT OR UPDATE ON ${table} FOR EACH ROW EXECUTE FUNCTION checksum_of_${table}()`,
    );
    const checks = await query(
      "SELECT conname AS name FROM pg_constraint WHERE contype = 'c' AND conrelid = $1::regclass",
      table,
    );
    for (const { name } of checks) await query(`ALTER TABLE ${table} DROP CONSTRAINT ${String(name)}`);
  }
  await query("SET session_replication_role = replica");
}

/** Returns the values of at most `most` rows that have one, spread over the table. */
async function cellsOf(query: Query, { table, column }: Column, most: number): Promise<readonly Cell[]> {
  const sql = `SELECT to_jsonb(r)::text AS row, ${column}::text AS value FROM ${table} AS r WHERE ${column} IS NOT NULL ORDER BY 1`;
  const cells = (await query(sql)).map(({ row, value }) => ({ row: String(row), value: String(value) }));
  const step = Math.ceil(cells.length / most);
  return cells.filter((_, index) => index % step === 0);
}

/** Returns values with another bit. */
function flipsOf({ type }: Column, value: string, bits: readonly number[]): string[] {
  if (type === "text") return [String(flipped(value, 0))];
  if (type === "jsonb") return ['[["a", "b"]]'];
  // The last hexadecimal digit.
  if (type === "bytea") return [value.slice(0, -1) + (Number.parseInt(value.slice(-1), 16) ^ 1).toString(16)];
  return bits.filter((bit) => type === "bigint" || bit < 31).map((bit) => String(flipped(BigInt(value), bit)));
}

/** Replaces one value by another. Returns false if another row has that one. */
async function replace(query: Query, { table, column, type }: Column, { row }: Cell, value: string): Promise<boolean> {
  try {
    // A bit of the key itself may be flipped: the row is found by its other columns.
    const sql = `UPDATE ${table} AS r SET ${column} = $1::text::${type} WHERE to_jsonb(r) - $2::text = $3::text::jsonb - $2::text`;
    await query(sql, value, column, row);
    return true;
  } catch (error) {
    if (error instanceof Error && /duplicate key/.test(error.message)) return false;
    throw error;
  }
}

describe("one flipped bit in a column of a row on PostgreSQL", () => {
  it("is noticed by verification in every column of every table with checksums, and by calls except in those that docs/backup.md lists", async () => {
    const { url, query } = await createDatabase();
    const all = await columnsOf(query);
    const tables = [...new Set(all.filter(({ column }) => column === "checksum").map(({ table }) => table))];
    const columns = all.filter(({ table }) => tables.includes(table));
    await allowDamage(query, tables);
    const open = () => createPostgresStorage({ url, contentKey, cell: { ownTenants: [] } });
    const missed = new Set<string>();
    const wrong = new Set<string>();

    const storage = await open();
    const intact = await readAll(storage);
    for (const column of columns) {
      const name = `${column.table}.${column.column}`;
      const cells = await cellsOf(query, column, rotRows);
      expect(`${name}: ${cells.length === 0 ? "no rows" : "rows"}`).toBe(`${name}: rows`);
      for (const cell of cells) {
        for (const value of flipsOf(column, cell.value, rotRows > 1 ? [0, 21] : [0])) {
          if (!(await replace(query, column, cell, value))) continue;
          if (wrongAnswers(await readAll(storage), intact).length > 0) wrong.add(name);
          if (!(await isNoticed(storage))) missed.add(name);
          await replace(query, column, cell, cell.value);
          // For so long, a storage remembers that it does not serve a tenant.
          if (name === "tenants.tenant_id") await setTimeout(250);
        }
      }
    }
    expect(await isNoticed(storage)).toBe(false);
    await storage.close();
    expect([...missed]).toEqual([]);

    // Each write on the same data, by another storage, because one that knows damage rejects all writes.
    await query("CREATE SCHEMA kept");
    for (const table of tables) await query(`CREATE TABLE kept.${table} AS SELECT * FROM ${table}`);
    const [{ last } = {}] = await query("SELECT last_value AS last FROM audit_positions");
    const reset = async () => {
      await query(`TRUNCATE ${tables.join(", ")}`);
      for (const table of tables) await query(`INSERT INTO ${table} SELECT * FROM kept.${table}`);
      await query("SELECT setval('audit_positions', $1)", last);
    };
    const writeTo = async (reverse: boolean, damage: () => Promise<unknown>) => {
      await reset();
      await damage();
      const storage = await open();
      const answers = await writeAll(storage, reverse);
      await storage.close();
      return answers;
    };
    const expected = [await writeTo(false, async () => {}), await writeTo(true, async () => {})];
    for (const [index, column] of columns.filter(isWritten).entries()) {
      const [cell] = await cellsOf(query, { ...column, table: `kept.${column.table}` }, 1);
      if (cell === undefined) continue;
      const [value = ""] = flipsOf(column, cell.value, [0]);
      const reverse = index % 2;
      const answers = await writeTo(reverse === 1, () => replace(query, column, cell, value));
      if (wrongAnswers(answers, expected[reverse] ?? new Map()).length > 0)
        wrong.add(`${column.table}.${column.column}`);
    }
    expectDocumented(wrong, "PostgreSQL");
    const unchecked = [...new Set(all.map(({ table }) => table))].filter((table) => !tables.includes(table));
    expect(unchecked.sort()).toEqual(documentedTables());
  });
});
