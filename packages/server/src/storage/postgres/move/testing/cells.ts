import { onTestFinished } from "vitest";
import type { Storage } from "../../../../ports/storage.js";
import { createFixture, itemRef, principalId, tenantId } from "../../../../testing/storage-suite/fixture.js";
import { openPostgresCell } from "../../cell.js";
import { openStorage } from "../../testing/open-storages.js";
import { createTestDatabase } from "../../testing/test-database.js";
import { verifyTrail } from "../../testing/verify-trail.js";

export const cell = { ownTenants: [] };

/** Creates three cells, of which the first serves the tenant. */
export async function createCells() {
  const [a, b, c] = await Promise.all(
    ["a", "b", "c"].map(async (name) => {
      const url = await createTestDatabase();
      const assignments = await openPostgresCell({ url });
      onTestFinished(() => assignments.close());
      await assignments.assign(name === "a" ? tenantId : "neighbour");
      const storage = await openStorage({ url, cell });
      return { name, url, storage, assignments, ...createFixture(storage) };
    }),
  );
  if (a === undefined || b === undefined || c === undefined) throw new Error("There are three cells.");
  return { a, b, c };
}

export type Cell = Awaited<ReturnType<typeof createCells>>["a"];

/** Writes what a tenant can have. */
export async function fill({ createVault, put, remove, shred, clock, write, storage }: Cell): Promise<void> {
  await createVault("vault-1");
  await createVault("vault-2", 1);
  for (let number = 0; number < 30; number += 1) await put(itemRef(`item-${number}`), `content ${number}`, 0);
  await put(itemRef("item-1", "vault-2"), "b", 0);
  await remove(itemRef("item-2"), 1);
  await remove(itemRef("item-1", "vault-2"), 1);
  clock.advance(2 * 86_400_000);
  await shred(itemRef("item-1", "vault-2"));
  await put(itemRef("item-3"), "again", 1);
  for (const key of ["one", "two"]) await write(recordOf(key, 1));
  await storage.sealAudit(10);
}

/** Returns the write of a record. */
export const recordOf = (key: string, revision: number, value = "{}") =>
  ({
    kind: "record",
    record: {
      ...{ tenantId, collection: "c", key, principalId, oauthClientId: "" },
      ...{ value, revision, createdAt: 0, expiresAt: undefined },
    },
  }) as const;

/** Everything that callers can read of the tenant. */
export async function contentsOf(storage: Storage) {
  const page = { tenantId, afterSequence: 0, limit: 100 };
  return {
    changes: await Promise.all(["vault-1", "vault-2"].map((vaultId) => storage.listChanges({ ...page, vaultId }))),
    vaults: await storage.listVaults({ tenantId, principalId, limit: 9 }),
    records: await storage.listRecords({ collection: "c", tenantId, principalId, limit: 9 }),
    audit: await storage.listAudit({ tenantId, limit: 100 }),
    shreddable: await storage.listShreddable(Number.MAX_SAFE_INTEGER, 9),
  };
}

/** Returns what the verification of the sealed audit trail finds. */
export async function differencesOf(storage: Storage) {
  await storage.sealAudit(10_000);
  return (await verifyTrail(storage)).differences;
}

/** Verifies all rows of a database. */
export async function verifyAll(storage: Storage): Promise<void> {
  for (let turn = 0; turn < 40; turn += 1) await storage.verify();
}

/** Returns the states of the tenants of a cell, by their ids. */
export const statesOf = async ({ assignments }: Cell) =>
  new Map((await assignments.list()).map(({ tenantId: id, state }) => [id, state]));
