import { onTestFinished } from "vitest";
import type { Storage } from "../../../../../src/ports/storage.js";
import { openPostgresCell } from "../../../../../src/storage/postgres/cell.js";
import { createTestDatabase } from "../../../../../src/storage/postgres/testing/test-database.js";
import { createFixture, itemRef, principalId, tenantId } from "../../../../../src/testing/storage-suite/fixture.js";
import { verifyTrail } from "../../../../../src/testing/storage-suite/verify-trail.js";
import { openStorage } from "../../testing/open-storages.js";

export const cell = { ownTenants: [] };

async function createCell(name: string) {
  const url = await createTestDatabase();
  const assignments = await openPostgresCell({ url });
  onTestFinished(() => assignments.close());
  await assignments.assign(name === "a" ? tenantId : "neighbour");
  const storage = await openStorage({ url, cell });
  return { name, url, storage, assignments, ...createFixture(storage) };
}

export type Cell = Awaited<ReturnType<typeof createCell>>;

/** Creates two cells, of which the first serves the tenant. */
export async function createCells() {
  const [a, b] = await Promise.all([createCell("a"), createCell("b")]);
  return { a, b };
}

/** Creates three cells, of which the first serves the tenant. */
export async function createThreeCells() {
  const [{ a, b }, c] = await Promise.all([createCells(), createCell("c")]);
  return { a, b, c };
}

export async function fill({ createVault, put, remove, shred, clock, write, storage }: Cell): Promise<void> {
  await createVault("vault-1");
  await createVault("vault-2", 1);
  const numbers = Array.from({ length: 30 }, (_, number) => number);
  await Promise.all(numbers.map((number) => put(itemRef(`item-${number}`), `content ${number}`, 0)));
  await put(itemRef("item-1", "vault-2"), "b", 0);
  await remove(itemRef("item-2"), 1);
  await remove(itemRef("item-1", "vault-2"), 1);
  clock.advance(2 * 86_400_000);
  await shred(itemRef("item-1", "vault-2"));
  await put(itemRef("item-3"), "again", 1);
  for (const key of ["one", "two"]) await write(recordOf(key, 1));
  await storage.sealAudit(10);
}

const recordOf = (key: string, revision: number, value = "{}") =>
  ({
    kind: "record",
    record: {
      ...{ tenantId, collection: "c", key, principalId, oauthClientId: "" },
      ...{ value, revision, createdAt: 0, expiresAt: undefined },
    },
  }) as const;

/** Everything that callers can read of the tenant. */
export async function contentsOf(storage: Storage) {
  const page = { tenantId, afterSequence: 0, limit: 500 };
  const vaultIds = ["vault-1", "vault-2", "völt"];
  return {
    vaults: await storage.listVaults({ tenantId, principalId, limit: 9 }),
    changes: await Promise.all(vaultIds.map((vaultId) => storage.listChanges({ ...page, vaultId }))),
    records: await storage.listRecords({ collection: "c", tenantId, principalId, limit: 99 }),
    audit: await storage.listAudit({ tenantId, limit: 500 }),
    shreddable: await storage.listShreddable(Number.MAX_SAFE_INTEGER, 99),
  };
}

/** Returns what the verification of the sealed audit trail finds. */
export async function differencesOf(storage: Storage) {
  await storage.sealAudit(10_000);
  return (await verifyTrail(storage)).differences;
}

/** Verifies all rows of a database: each call reads a part of one table. */
export async function verifyAll(storage: Storage): Promise<void> {
  for (let turn = 0; turn < 26; turn += 1) await storage.verify();
}

/** Returns the states of the tenants of a cell, by their ids. */
export const statesOf = async ({ assignments }: Cell) =>
  new Map((await assignments.list()).map(({ tenantId: id, state }) => [id, state]));

export async function statesIn(...cells: readonly Cell[]) {
  return (await Promise.all(cells.map(statesOf))).map((states) => states.get(tenantId));
}
