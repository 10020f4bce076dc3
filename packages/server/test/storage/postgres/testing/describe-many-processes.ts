import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { deleteItem } from "../../../../src/domain/delete-item.js";
import { delegations } from "../../../../src/domain/model/delegation.js";
import type { PostgresStorageOptions } from "../../../../src/storage/postgres/options.js";
import { createTestDatabase, runSql } from "../../../../src/storage/postgres/testing/test-database.js";
import { fakeClock } from "../../../../src/testing/fake-clock.js";
import { createDeviceFixture, resultOf } from "../../../../src/testing/storage-suite/device-fixture.js";
import {
  actor,
  createFixture,
  itemRef,
  oauthClientId,
  principalId,
  tenantId,
} from "../../../../src/testing/storage-suite/fixture.js";
import { put as putRecord, recordOf } from "../../../../src/testing/storage-suite/records.js";
import { createDelegation } from "../../../../src/testing/storage-suite/values.js";
import { openStorage } from "./open-storages.js";

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index);

/** Describes several storages that use one database, each as another process does. `optionsOf` returns how they reach it. */
export function describeManyProcesses(
  optionsOf: (url: string) => Partial<PostgresStorageOptions> & { readonly url: string } = (url) => ({ url }),
): void {
  const openStorages = async (count: number) => {
    const url = await createTestDatabase();
    const storages = await Promise.all(Array.from({ length: count }, () => openStorage(optionsOf(url))));
    return { url, storages };
  };

  /** Opens several storages of one database, each with the fixture of the suite. */
  const openProcesses = async (count: number) => {
    const { url, storages } = await openStorages(count);
    return { url, processes: storages.map((storage) => ({ storage, ...createFixture(storage) })) };
  };

  describe("DECISIONS section 3: several processes change one vault", () => {
    it("returns the same tombstone and cursor to concurrent deletions of one item", async () => {
      const { processes } = await openProcesses(3);
      await processes[0]?.createVault();
      for (const index of numbers(10)) {
        await processes[0]?.put(itemRef(`item-${index}`), "a", 0);
        const results = await Promise.all(
          processes.flatMap(({ remove }) => [remove(itemRef(`item-${index}`), 1), remove(itemRef(`item-${index}`), 1)]),
        );
        const cursors = results.map(({ outcome, sequence }) =>
          outcome.ok && "sequence" in outcome.item ? outcome.item.sequence : sequence,
        );
        expect(cursors).toEqual(results.map(() => 2 * index + 2));
      }
    });

    it("applies a removed membership to decisions that another process makes at the same time", async () => {
      const { processes } = await openProcesses(2);
      const [first, second] = processes;
      await first?.createVault();
      const member = { kind: "member", tenantId, vaultId: "vault-1", principalId: "principal-1" } as const;
      for (const index of numbers(20)) {
        await first?.write({ ...member, role: "member" });
        await first?.put(itemRef(`item-${index}`), "a", 0);
        const [deleted, removed] = await Promise.all([
          second?.remove(itemRef(`item-${index}`), 1),
          first?.write({ ...member, role: undefined }).then(() => second?.remove(itemRef(`item-${index}`), 1)),
        ]);
        // After the removal was acknowledged, nothing can be deleted.
        expect(removed?.outcome).toMatchObject({ ok: false, reason: "VAULT_NOT_FOUND" });
        expect(deleted?.outcome.ok === true || deleted?.outcome.reason === "VAULT_NOT_FOUND").toBe(true);
      }
    });

    it("never deletes more than the budget of a delegation, whichever process deletes", async () => {
      const { url, processes } = await openProcesses(4);
      const [first] = processes;
      const delegationId = "delegation-1";
      const vaults = numbers(4).map((index) => `vault-${index}`);
      const bounds = { maxDeletions: 10 };
      const owner = { tenantId, principalId, oauthClientId, delegationId, bounds };
      if (first !== undefined) await createDelegation(first.storage, owner, first.clock.now());
      for (const vault of vaults) {
        await first?.createVault(vault);
        await Promise.all(numbers(16).map((index) => first?.put(itemRef(`item-${index}`, vault), "a", 0)));
      }
      const record = delegations.key(tenantId, delegationId);
      const outcomes = await Promise.all(
        processes.flatMap(({ storage, clock }, process) =>
          vaults.flatMap((vault) =>
            numbers(4).map(async (index) => {
              const ref = itemRef(`item-${4 * process + index}`, vault);
              const rule = deleteItem(1, actor, clock.now(), delegationId);
              return (await storage.transact({ kind: "item", ...ref, principalId, record }, rule)).outcome;
            }),
          ),
        ),
      );
      expect(outcomes.filter(({ ok }) => ok)).toHaveLength(10);
      const rejection = { ok: false, reason: "DELEGATION_EXHAUSTED", allowed: 10, used: 10 };
      expect(outcomes.filter(({ ok }) => !ok)).toEqual(numbers(54).map(() => rejection));
      const deleted = await runSql(url, "SELECT count(*)::integer AS deleted FROM items WHERE state = 'deleted'");
      expect(deleted).toEqual([{ deleted: 10 }]);
    });

    it("moves each item once, also when items move in opposite directions at the same time", async () => {
      const { url, processes } = await openProcesses(3);
      const vaults = ["vault-1", "vault-2"];
      for (const vault of vaults) await processes[0]?.createVault(vault);
      for (const round of numbers(12)) {
        const places = vaults.map((vault) => itemRef(`item-${round}`, vault));
        await Promise.all(places.map((place) => processes[0]?.put(place, "a", 0)));
        const moves = processes.flatMap(({ move }, process) =>
          places.map((place, index) =>
            move(place, itemRef(`moved-${round}-${process}-${index}`, vaults[1 - index]), "m", 1),
          ),
        );
        const outcomes = (await Promise.all(moves)).map(({ outcome }) => (outcome.ok ? "moved" : outcome.reason));
        expect(outcomes.filter((outcome) => outcome === "moved")).toHaveLength(2);
        expect(outcomes.filter((outcome) => outcome === "VERSION_CONFLICT")).toHaveLength(4);
      }
      const counts = "SELECT state, count(*)::integer AS items FROM items GROUP BY state ORDER BY state";
      expect(await runSql(url, counts)).toEqual([
        { state: "deleted", items: 24 },
        { state: "live", items: 24 },
      ]);
      const gaps =
        "SELECT vault_id FROM changes GROUP BY vault_id HAVING max(sequence) <> count(*) OR count(*) <> 12 * 3";
      expect(await runSql(url, gaps)).toEqual([]);
      expect(
        await runSql(url, "SELECT deadlocks::integer FROM pg_stat_database WHERE datname = current_database()"),
      ).toEqual([{ deadlocks: 0 }]);
    });

    it("never deadlocks, however the vaults of the batches overlap", async () => {
      const { url, processes } = await openProcesses(4);
      const vaults = numbers(6).map((index) => `vault-${index}`);
      for (const vault of vaults) await processes[0]?.createVault(vault);
      const changed = await Promise.all(
        processes.map(async ({ put }, process) => {
          for (const round of numbers(15)) {
            const order = round % 2 === 0 ? vaults : vaults.toReversed();
            await Promise.all(order.map((vault) => put(itemRef(`item-${process}-${round}`, vault), "a", 0)));
          }
          return true;
        }),
      );
      expect(changed).toEqual([true, true, true, true]);
      expect(
        await runSql(url, "SELECT deadlocks::integer FROM pg_stat_database WHERE datname = current_database()"),
      ).toEqual([{ deadlocks: 0 }]);
    });
  });

  describe("DECISIONS section 4: several processes exchange one device code", () => {
    it("approves exactly one exchange, and returns the same grant to retries with its Idempotency-Key", async () => {
      const { storages } = await openStorages(3);
      const clock = fakeClock();
      const devices = storages.map((storage, index) => createDeviceFixture(storage, clock, `${index}-`));
      await devices[0]?.setUp();
      for (const index of numbers(8)) {
        const code = `code-${index}`;
        await devices[0]?.start(code, `user-${index}`);
        await devices[1]?.answer(`user-${index}`);
        const key = index % 2 === 0 ? "key-hash" : undefined;
        const results = await Promise.all(
          devices.flatMap((device) => numbers(4).map(() => device.exchange(code, { key }))),
        );
        const approved = results.filter((result) => resultOf(result) === "approved");
        expect(approved).toHaveLength(key === undefined ? 1 : 12);
        expect(new Set(approved.map((result) => JSON.stringify(result))).size).toBe(1);
      }
    });
  });

  describe("several processes write one record", () => {
    it("lets exactly one of the concurrent writes of one revision succeed", async () => {
      const { storages } = await openStorages(4);
      for (const revision of numbers(8)) {
        const results = await Promise.all(
          storages.flatMap((storage, process) =>
            numbers(6).map((index) =>
              putRecord(storage, recordOf("key-1", { value: `"${process}-${index}"` }), revision),
            ),
          ),
        );
        const [won, ...others] = results.filter(({ ok }) => ok);
        expect(won).toMatchObject({ record: { revision: revision + 1 } });
        expect(others).toEqual([]);
        for (const { record } of results) expect(record).toEqual(won?.record);
      }
    });
  });

  it("concurrent changes by random processes have gapless sequences, and each item ends at its number of changes", async () => {
    const { url, processes } = await openProcesses(3);
    let run = 0;
    const step = fc.record({ process: fc.nat(2), item: fc.nat(3) });
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(step, { maxLength: 12 }), { maxLength: 6 }), async (rounds) => {
        run += 1;
        const vaultId = `vault-${run}`;
        await processes[0]?.createVault(vaultId);
        const versions = new Map<number, number>();
        let changes = 0;
        for (const round of rounds) {
          const before = new Map(versions);
          const results = await Promise.all(
            round.map(async ({ process, item }, index) => {
              const ref = itemRef(`item-${item}`, vaultId);
              const put = await processes[process]?.put(ref, `${changes}-${index}`, before.get(item) ?? 0);
              return { item, ok: put?.outcome.ok === true };
            }),
          );
          for (const item of new Set(round.map((each) => each.item))) {
            // Exactly one of the changes with the same base version succeeds.
            expect(results.filter((each) => each.item === item && each.ok)).toHaveLength(1);
            versions.set(item, (before.get(item) ?? 0) + 1);
            changes += 1;
          }
        }
        const rows = await runSql(url, "SELECT sequence::integer FROM changes WHERE vault_id = $1 ORDER BY sequence", [
          vaultId,
        ]);
        expect(rows.map(({ sequence }) => sequence)).toEqual(numbers(changes).map((index) => index + 1));
      }),
      { numRuns: 15 },
    );
  });
}
