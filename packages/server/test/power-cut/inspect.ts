import { rmSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Item } from "../../src/domain/model/item.js";
import type { Storage } from "../../src/ports/storage.js";
import { createSqliteStorage } from "../../src/storage/sqlite/create-sqlite-storage.js";
import { integer, type Row, text } from "../../src/storage/sqlite/database/columns.js";
import { createMemoryFolder } from "../../src/storage/sqlite/testing/temporary-path.js";
import { createFixture, itemRef, principalId, tenantId } from "../../src/testing/storage-suite/fixture.js";
import { verifyTrail } from "../../src/testing/storage-suite/verify-trail.js";
import type { CrashState } from "./crash-states.js";
import { contradictions, type Expectation, expectationOf, type Mark, type Stored, type StoredChange } from "./model.js";
import type { Files } from "./operation.js";
import { readFiles, writeFiles } from "./record.js";
import { recordCollection, traceOf } from "./workload.js";

/** The vault to which the inspection writes. */
const own = "inspection";

/** Opens a database with the storage. */
export type OpenStorage = (path: string) => Storage;

/** Opens what a power cut left, uses it, and lists how it contradicts the marks. */
export async function inspect(
  { files, marks }: CrashState,
  open: OpenStorage = (path) => createSqliteStorage({ path }),
): Promise<string[]> {
  const folder = createMemoryFolder();
  try {
    writeFiles(folder, files);
    const expected = expectationOf(marks.map((line): Mark => JSON.parse(line)));
    const found = [...traces(expected, files)];
    const path = join(folder, "platform.db");
    const storage = open(path);
    found.push(...traces(expected, readFiles(folder)));
    const { createVault, put } = createFixture(storage);
    await createVault(own);
    const { outcome } = await put(itemRef("written", own), "after the power cut", 0);
    if (!outcome.ok) found.push(`a new item was rejected: ${outcome.reason}`);
    await storage.check();
    await storage.verify();
    const listed: Item[] = [];
    for (const vaultId of ["kept", "erased"]) {
      listed.push(...(await storage.listChanges({ tenantId, vaultId, afterSequence: 0, limit: 10_000 })).items);
    }
    const query = { collection: recordCollection, tenantId, principalId, limit: 10_000 };
    const records = await storage.listRecords(query);
    found.push(...(await auditDifferences(storage)));
    await storage.close();
    return [...found, ...contradictions(expected, { ...readStored(path, listed, own), records })];
  } catch (error) {
    return [`the storage failed: ${error instanceof Error ? error.stack : error}`];
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Seals the rest of the audit trail, and lists where it differs from its seals. */
async function auditDifferences(storage: Storage): Promise<string[]> {
  await storage.sealAudit(10_000);
  const { differences } = await verifyTrail(storage);
  return differences.map(({ kind, position }) => `the audit trail differs at ${position}: ${kind}`);
}

/** Finds the content of items whose shredding was acknowledged. */
function* traces({ shredded }: Expectation, files: Files): Generator<string> {
  for (const item of shredded) {
    for (const [name, bytes] of files) if (bytes.includes(traceOf(item))) yield `${name} contains shredded ${item}`;
  }
}

const change = (row: Row): StoredChange => ({
  vaultId: text(row, "vault_id"),
  itemId: text(row, "item_id"),
  version: integer(row, "version"),
  state: text(row, "state"),
  sequence: integer(row, "sequence"),
});

/**
 * Reads a closed database without the vault `except`.
 *
 * @param listed the items as the storage listed them.
 * @throws Error if the database is damaged.
 */
function readStored(path: string, listed: readonly Item[], except: string): Omit<Stored, "records"> {
  const database = new DatabaseSync(path);
  const rows = <T>(sql: string, read: (row: Row) => T): T[] =>
    database
      .prepare(sql)
      .all(...(sql.includes("?") ? [except] : []))
      .map(read);
  try {
    const integrity = rows("PRAGMA integrity_check", (row) => text(row, "integrity_check")).join();
    if (integrity !== "ok") throw new Error(integrity);
    return {
      vaults: rows("SELECT vault_id, sequence FROM vaults WHERE vault_id <> ?", (row) => ({
        vaultId: text(row, "vault_id"),
        sequence: integer(row, "sequence"),
      })),
      changes: rows(
        `SELECT vault_id, item_id, changes.version, changes.state, changes.sequence
         FROM changes JOIN items ON items.id = item JOIN vaults ON vaults.id = changes.vault
         WHERE vault_id <> ? ORDER BY vault_id, changes.sequence`,
        change,
      ),
      items: listed.map(({ encryptedPayload, ...item }) => ({ ...item, content: encryptedPayload.ciphertext })),
      audit: rows(
        `SELECT substr(subject, 6) || ' ' || iif(event = 'shredded', event, version_after) AS line
         FROM audit WHERE subject NOT LIKE 'item:' || ? || '/%'`,
        (row) => text(row, "line"),
      ),
    };
  } finally {
    database.close();
  }
}
