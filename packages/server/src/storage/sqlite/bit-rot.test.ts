import { cpSync } from "node:fs";
import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import { describe, expect, it } from "vitest";
import {
  expectDocumented,
  fillForRot,
  flipped,
  isNoticed,
  isWritten,
  readAll,
  rotRows,
  writeAll,
  wrongAnswers,
} from "../testing/bit-rot.js";
import { createSqliteStorage } from "./create-sqlite-storage.js";
import { openDatabase } from "./database/open-database.js";
import { restoreSqliteBackup } from "./restore/restore-backup.js";
import { createStorageOnDatabase } from "./storage-on-database.js";
import { temporaryPath } from "./testing/temporary-path.js";

/** Creates a database that was restored once, so that it has an epoch. */
async function createDatabase(): Promise<string> {
  const path = temporaryPath();
  const empty = createSqliteStorage({ path });
  await empty.backUp(`${path}.backup`);
  await empty.close();
  restoreSqliteBackup({ backup: `${path}.backup`, path, now: 1, gap: 0 });
  const storage = createSqliteStorage({ path });
  await fillForRot(storage);
  await storage.close();
  return path;
}

interface Column {
  readonly table: string;
  readonly column: string;
  /** The columns that identify a row. */
  readonly key: readonly string[];
}

/** Lists every column of every table. */
function columnsOf(database: DatabaseSync): Column[] {
  const columns = database
    .prepare(
      `SELECT t.name AS "table", c.name AS "column", c.pk AS place FROM sqlite_schema AS t, pragma_table_info(t.name) AS c
       WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite_%'`,
    )
    .all()
    .map(({ table, column, place }) => ({ table: String(table), column: String(column), place: Number(place) }));
  const keyOf = (table: string) =>
    columns.filter((each) => each.table === table && each.place > 0).map(({ column }) => column);
  return columns.map(({ table, column }) => ({ table, column, key: keyOf(table) }));
}

type Cells = Readonly<Record<string, SQLInputValue>>;

/** Returns at most `most` rows, spread over the table. */
function rowsOf(database: DatabaseSync, { table, column, key }: Column, most: number): readonly Cells[] {
  const select = database.prepare(`SELECT * FROM ${table} WHERE ${column} IS NOT NULL ORDER BY ${key.join(", ")}`);
  select.setReadBigInts(true);
  const rows = select.all();
  const step = Math.ceil(rows.length / most);
  return rows.filter((_, index) => index % step === 0);
}

/** Replaces one value by another. Returns false if another row has that one. */
function replace(database: DatabaseSync, { table, column }: Column, row: Cells, value: bigint | string): boolean {
  // A bit of the key itself may be flipped: the row is found by its other columns.
  const others = Object.keys(row).filter((name) => name !== column && row[name] !== null);
  const found = others.map((name) => `${name} = ?`).join(" AND ");
  try {
    database
      .prepare(`UPDATE ${table} SET ${column} = ? WHERE ${found}`)
      .run(value, ...others.map((name) => row[name] ?? null));
    return true;
  } catch (error) {
    if (error instanceof Error && /UNIQUE/.test(error.message)) return false;
    throw error;
  }
}

/** Opens a database whose rows can be damaged. */
function openForDamage(path: string): DatabaseSync {
  const database = openDatabase(path);
  database.exec("PRAGMA ignore_check_constraints = ON; PRAGMA foreign_keys = OFF");
  for (const { name } of database.prepare("SELECT name FROM sqlite_schema WHERE type = 'trigger'").all())
    database.exec(`DROP TRIGGER ${name}`);
  return database;
}

describe("one flipped bit in a column of a row", () => {
  it("is noticed by verification in every column of every table, and by calls except in those that docs/backup.md lists", async () => {
    const path = await createDatabase();
    const database = openForDamage(path);
    const storage = createStorageOnDatabase(database);
    const intact = await readAll(storage);
    const columns = columnsOf(database);
    const missed = new Set<string>();
    const wrong = new Set<string>();
    for (const column of columns) {
      const name = `${column.table}.${column.column}`;
      const rows = rowsOf(database, column, rotRows);
      expect(`${name}: ${rows.length === 0 ? "no rows" : "rows"}`).toBe(`${name}: rows`);
      for (const row of rows) {
        const value = cellOf(row, column);
        for (const bit of typeof value === "bigint" && rotRows > 1 ? [0, 21, 62] : [0]) {
          if (!replace(database, column, row, flipped(value, bit))) continue;
          if (wrongAnswers(await readAll(storage), intact).length > 0) wrong.add(name);
          if (!(await isNoticed(storage))) missed.add(name);
          replace(database, column, { ...row, [column.column]: flipped(value, bit) }, value);
        }
      }
    }
    expect(await isNoticed(storage)).toBe(false);
    await storage.close().catch(() => {});
    expect([...missed]).toEqual([]);

    // Each write on another copy, because a storage that knows damage rejects all writes.
    const copy = `${path}.copy`;
    const writeTo = async (reverse: boolean, damage: (database: DatabaseSync) => void) => {
      cpSync(path, copy);
      const database = openForDamage(copy);
      damage(database);
      const storage = createStorageOnDatabase(database);
      const answers = await writeAll(storage, reverse);
      await storage.close().catch(() => {});
      return answers;
    };
    const expected = [await writeTo(false, () => {}), await writeTo(true, () => {})];
    const source = new DatabaseSync(path);
    const written = columns.filter(({ column, key }) => isWritten({ column, key: key.includes(column) }));
    for (const column of written) {
      for (const row of rowsOf(source, column, rotRows)) {
        for (const [index, answers] of expected.entries()) {
          const damage = (database: DatabaseSync) => replace(database, column, row, flipped(cellOf(row, column), 0));
          if (wrongAnswers(await writeTo(index === 1, damage), answers).length > 0)
            wrong.add(`${column.table}.${column.column}`);
        }
      }
    }
    source.close();
    expectDocumented(wrong, "SQLite");
  });
});

function cellOf(row: Cells, { table, column }: Column): bigint | string {
  const value = row[column];
  if (typeof value === "bigint" || typeof value === "string") return value;
  throw new Error(`${table}.${column} has another type`);
}
