import { readFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { expect } from "vitest";
import { type Storage, StorageError } from "../../ports/storage.js";
import { createFixture, itemRef, principalId, tenantId } from "../../testing/storage-suite/fixture.js";
import { get, put as putRecord, recordOf } from "../../testing/storage-suite/records.js";
import { verifyTrail } from "../../testing/storage-suite/verify-trail.js";

const day = 24 * 60 * 60 * 1000;
const { BIT_ROT_ROWS = "1" } = process.env;

/**
 * How many rows of each column are damaged. One row of each column is enough for every kind of damage. With more, several bits of each are
 * flipped, and the columns that docs/backup.md lists are exactly those that calls do not notice.
 */
export const rotRows = Number(BIT_ROT_ROWS);

/**
 * Returns whether calls that change something are made after a column was damaged. Damage to a key hides the row. All other damage to a row
 * has the same effect as damage to its checksum.
 */
export function isWritten({ column, key }: { readonly column: string; readonly key: boolean }): boolean {
  return key || column === "checksum" || rotRows > 1;
}

/** Fills a new storage with a row of every kind: several, so that the bits of each column differ. */
export async function fillForRot(storage: Storage): Promise<void> {
  const { createVault, put, remove, shred, write, clock } = createFixture(storage);
  await createVault();
  await createVault("vault-2", 1);
  await write({ kind: "member", tenantId, vaultId: "vault-1", principalId: "principal-2", role: "viewer" });
  for (const itemId of ["live", "changed", "kept", "deleted", "restorable"]) await put(itemRef(itemId), itemId, 0);
  for (const itemId of ["live", "shredded"]) await put(itemRef(itemId, "vault-2"), itemId, 0);
  for (let version = 1; version <= 40; version += 1) await put(itemRef("changed"), `v${version}`, version);
  await remove(itemRef("deleted"), 1);
  // No two items are shredded at the same time: their order would depend on the place of their rows.
  clock.advance(1);
  await remove(itemRef("restorable"), 1);
  await remove(itemRef("shredded", "vault-2"), 1);
  clock.advance(2 * day);
  await shred(itemRef("shredded", "vault-2"));
  await putRecord(storage, recordOf("record-1"));
  await putRecord(storage, recordOf("record-2", { expiresAt: clock.now() + 100 * day, value: '{"a":1}' }));
  await storage.sealAudit(30);
  await storage.sealAudit(1000);
  await put(itemRef("live"), "newer", 1);
}

type Probe = (storage: Storage) => Promise<unknown>;

const pageOf = (vaultId: string, afterSequence: number): Probe => {
  return (storage) => storage.listChanges({ tenantId, vaultId, principalId, afterSequence, limit: 100 });
};

/** Verifies the audit trail by its digests, as the command verify-audit does. */
async function verifyAudit(storage: Storage): Promise<unknown> {
  const { differences, head } = await verifyTrail(storage);
  if (differences.length > 0) throw new StorageError("damaged");
  return head;
}

/** Calls that change nothing. */
const reads: Readonly<Record<string, Probe>> = {
  ...Object.fromEntries(
    ["live", "changed", "deleted", "restorable", "missing"].map((itemId) => [
      `reads ${itemId}`,
      (storage: Storage) => createFixture(storage).find(itemRef(itemId)),
    ]),
  ),
  "reads shredded": (storage) => createFixture(storage).find(itemRef("shredded", "vault-2")),
  "lists earlier contents": (storage) => createFixture(storage).earlier(itemRef("changed")),
  "lists changes": pageOf("vault-1", 0),
  "lists newer changes": pageOf("vault-1", 20),
  "lists changes of another vault": pageOf("vault-2", 1),
  "lists vaults": (storage) => storage.listVaults({ tenantId, principalId, limit: 10 }),
  "lists vaults of another member": (storage) =>
    storage.listVaults({ tenantId, principalId: "principal-2", limit: 10 }),
  "reads a record": (storage) => get(storage, "record-1"),
  "reads another record": (storage) => get(storage, "record-2"),
  "lists records": (storage) => storage.listRecords({ collection: "session", tenantId, principalId, limit: 10 }),
  "lists what to shred": (storage) => storage.listShreddable(createFixture(storage).clock.now() + 30 * day, 10),
  "lists the audit trail": (storage) => storage.listAudit({ tenantId, before: undefined, limit: 100 }),
  "lists a part of the audit trail": (storage) => storage.listAudit({ tenantId, before: 1000, limit: 100 }),
  "verifies the sealed audit trail": verifyAudit,
};

/** Calls that change different things. */
const writes: Readonly<Record<string, Probe>> = {
  creates: (storage) => createFixture(storage).put(itemRef("new"), "new", 0),
  "creates elsewhere": (storage) => createFixture(storage).put(itemRef("new", "vault-2"), "new", 0),
  changes: (storage) => createFixture(storage).put(itemRef("changed"), "again", 41),
  "changes at an old version": (storage) => createFixture(storage).put(itemRef("kept"), "again", 0),
  deletes: (storage) => createFixture(storage).remove(itemRef("live"), 2),
  "deletes elsewhere": (storage) => createFixture(storage).remove(itemRef("live", "vault-2"), 1),
  "deletes again": (storage) => createFixture(storage).remove(itemRef("deleted"), 1),
  restores: (storage) => createFixture(storage).restore(itemRef("restorable"), 2),
  "creates what is shredded": (storage) => createFixture(storage).put(itemRef("shredded", "vault-2"), "new", 0),
  "changes a record": (storage) => putRecord(storage, recordOf("record-1", { value: '{"b":1}' }), 1),
  "changes another record": (storage) => putRecord(storage, recordOf("record-2", { value: '{"b":1}' }), 1),
  "creates a vault": async (storage) => {
    await createFixture(storage).createVault("vault-3");
    return createFixture(storage).put(itemRef("first", "vault-3"), "first", 0);
  },
  "removes what is expired": (storage) => storage.purge(1, 10),
  "seals the audit trail": (storage) => storage.sealAudit(1000),
};

/** The answers of calls: what each has returned, or `damaged`. */
export type Answers = ReadonlyMap<string, unknown>;

const damaged = Symbol("damaged");

async function answersOf(storage: Storage, probes: readonly (readonly [string, Probe])[]): Promise<Answers> {
  const answers = new Map<string, unknown>();
  for (const [name, probe] of probes) {
    const answer = await probe(storage).catch((error: unknown) => {
      if (error instanceof StorageError && error.reason === "damaged") return damaged;
      return error instanceof Error ? `${error.message}: ${String(error.cause)}` : error;
    });
    answers.set(name, answer);
  }
  return answers;
}

/** Makes all calls that change nothing. */
export function readAll(storage: Storage): Promise<Answers> {
  return answersOf(storage, Object.entries(reads));
}

/** Makes all calls that change something. Once one has noticed damage, all later ones fail: their order matters. */
export function writeAll(storage: Storage, reverse: boolean): Promise<Answers> {
  const calls = Object.entries(writes);
  return answersOf(storage, reverse ? calls.reverse() : calls);
}

/** Returns the calls that were answered, and not with the answers of the intact data. */
export function wrongAnswers(answers: Answers, intact: Answers): string[] {
  return [...answers].flatMap(([name, answer]) =>
    answer === damaged || isDeepStrictEqual(answer, intact.get(name)) ? [] : [name],
  );
}

/** Returns whether verification finds damage. It verifies everything at least once. */
export async function isNoticed(storage: Storage): Promise<boolean> {
  for (let turn = 0; turn < 26; turn += 1) {
    const error = await storage.verify().then(
      () => undefined,
      (error: unknown) => error,
    );
    if (error instanceof StorageError && error.reason === "damaged") return true;
    if (error !== undefined) throw error;
  }
  return false;
}

/** Flips a bit of a value: one of the middle character of a text. */
export function flipped(value: number | bigint | string, bit: number): bigint | string {
  if (typeof value !== "string") return BigInt(value) ^ (1n << BigInt(bit));
  const at = Math.floor(value.length / 2);
  return value.slice(0, at) + String.fromCharCode(value.charCodeAt(at) ^ 1) + value.slice(at + 1);
}

/** Expects that calls notice damage in every column but those that docs/backup.md lists for an engine. */
export function expectDocumented(unnoticed: ReadonlySet<string>, engine: "SQLite" | "PostgreSQL"): void {
  const documented = documentedColumns(engine);
  if (rotRows > 1) expect([...unnoticed].sort()).toEqual(documented);
  else expect([...unnoticed].filter((column) => !documented.includes(column))).toEqual([]);
}

/** Returns the columns that a table in docs/backup.md names for an engine: a flipped bit in them is not noticed by calls, only by verification. */
function documentedColumns(engine: "SQLite" | "PostgreSQL"): string[] {
  const cells = rowsOfGuide("what has changed").map((cells) => cells[engine === "SQLite" ? 2 : 3] ?? "");
  return cells.flatMap((cell) => [...cell.matchAll(/`([a-z_]+\.[a-z_]+)`/g)].map(([, column = ""]) => column)).sort();
}

/** Returns the tables of PostgreSQL that docs/backup.md names as those without checksums. */
export function documentedTables(): string[] {
  const [cell = ""] = rowsOfGuide("not found").flatMap(([, what = ""]) => (what.includes("`leases`") ? [what] : []));
  return [...cell.matchAll(/`([a-z_]+)`/g)].map(([, table = ""]) => table).sort();
}

/** Returns the cells of the table in docs/backup.md whose first heading is given. */
function rowsOfGuide(heading: string): string[][] {
  const guide = readFileSync(new URL("../../../../../docs/backup.md", import.meta.url), "utf8");
  const start = guide.indexOf(`\n| ${heading} |`);
  if (start === -1) throw new Error(`docs/backup.md has no table "${heading}"`);
  const [table = ""] = guide.slice(start + 1).split("\n\n", 1);
  return table.split("\n").map((row) => row.split("|"));
}
