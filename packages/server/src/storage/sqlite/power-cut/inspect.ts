import { rmSync } from "node:fs";
import { join } from "node:path";
import { createAuditVerifier } from "../../../audit/audit-verifier.js";
import { auditLine } from "../../../domain/audit-seal.js";
import type { Item } from "../../../domain/item.js";
import type { Storage } from "../../../ports/storage.js";
import { createFixture, itemRef, principalId, tenantId } from "../../../testing/storage-suite/fixture.js";
import { createSqliteStorage } from "../create-sqlite-storage.js";
import { createMemoryFolder } from "../testing/memory-folder.js";
import type { CrashState } from "./crash-states.js";
import { contradictions, type Expectation, expectationOf, type Mark } from "./model.js";
import type { Files } from "./operation.js";
import { readStored } from "./read-stored.js";
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
  const verifier = createAuditVerifier();
  for (const entry of (await storage.readAudit(0, 10_000)).entries) {
    if ("trail" in entry) verifier.seal(entry);
    else verifier.row({ ...entry, line: auditLine(entry) });
  }
  return verifier.end().differences.map(({ kind, position }) => `the audit trail differs at ${position}: ${kind}`);
}

/** Finds the content of items whose shredding was acknowledged. */
function* traces({ shredded }: Expectation, files: Files): Generator<string> {
  for (const item of shredded) {
    for (const [name, bytes] of files) if (bytes.includes(traceOf(item))) yield `${name} contains shredded ${item}`;
  }
}
