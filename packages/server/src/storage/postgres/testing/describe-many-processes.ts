import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { deleteItem } from "../../../domain/delete-item.js";
import { delegations } from "../../../domain/model/delegation.js";
import { refOf } from "../../../ports/storage.js";
import { fakeClock } from "../../../testing/fake-clock.js";
import { createDeviceFixture, resultOf } from "../../../testing/storage-suite/device-fixture.js";
import {
  actor,
  createFixture,
  itemRef,
  oauthClientId,
  principalId,
  revocationOf,
  tenantId,
} from "../../../testing/storage-suite/fixture.js";
import { get as getRecord, put as putRecord, recordOf } from "../../../testing/storage-suite/records.js";
import { createDelegation } from "../../../testing/storage-suite/values.js";
import type { PostgresStorageOptions } from "../options.js";
import { commitWrites, openStorage } from "./open-storages.js";
import { createTestDatabase, runSql } from "./test-database.js";

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
    it("gives the changes of one vault consecutive sequences, whichever process makes them", async () => {
      const { url, processes } = await openProcesses(4);
      await processes[0]?.createVault();
      const results = await Promise.all(
        processes.flatMap(({ put }, process) =>
          numbers(100).map((index) => put(itemRef(`item-${process}-${index}`), "a", 0)),
        ),
      );
      const sequences = results.map(({ sequence = 0 }) => sequence).sort((a, b) => a - b);
      expect(sequences).toEqual(numbers(400).map((index) => index + 1));
      const stored = await runSql(url, "SELECT sequence::integer, item_id FROM changes ORDER BY sequence");
      expect(stored.map(({ sequence }) => sequence)).toEqual(sequences);
    });

    it("lets exactly one of the concurrent changes of one version succeed, and decides the others again", async () => {
      const { processes } = await openProcesses(4);
      const [first] = processes;
      await first?.createVault();
      await first?.put(itemRef("item-1"), "a", 0);
      for (const version of numbers(10).map((index) => index + 1)) {
        const marks = processes.flatMap(({ put }, process) =>
          numbers(8).map((index) => put(itemRef("item-1"), `${version}-${process}-${index}`, version)),
        );
        const outcomes = (await Promise.all(marks)).map(({ outcome }) => outcome);
        expect(outcomes.filter(({ ok }) => ok)).toHaveLength(1);
        const conflict = { currentVersion: version + 1, sequence: version + 1 };
        expect(outcomes.filter(({ ok }) => !ok)).toEqual(
          numbers(31).map(() => expect.objectContaining({ conflict: expect.objectContaining(conflict) })),
        );
      }
    });

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

    it("gives one user code to one of two authorizations that start at the same time", async () => {
      const { storages } = await openStorages(2);
      const clock = fakeClock();
      const [first, second] = storages.map((storage, index) => createDeviceFixture(storage, clock, `${index}-`));
      await first?.setUp();
      for (const index of numbers(10)) {
        const started = await Promise.all([
          first?.start(`code-a-${index}`, `user-${index}`),
          second?.start(`code-b-${index}`, `user-${index}`),
        ]);
        expect(started.map((result) => result?.ok).sort()).toEqual([false, true]);
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

    it("loses no increment, however the records of the batches overlap, and never deadlocks", async () => {
      const { url, storages } = await openStorages(3);
      const keys = numbers(5).map((index) => `key-${index}`);
      const increment = async (storage: (typeof storages)[number], key: string): Promise<void> => {
        const current = await getRecord(storage, key);
        const value = JSON.stringify(Number(JSON.parse(current?.value ?? "0")) + 1);
        const { ok } = await putRecord(storage, recordOf(key, { value }), current?.revision ?? 0);
        if (!ok) await increment(storage, key);
      };
      await Promise.all(
        storages.map(async (storage, process) => {
          for (const round of numbers(6)) {
            const order = (round + process) % 2 === 0 ? keys : keys.toReversed();
            await Promise.all(order.map((key) => increment(storage, key)));
          }
        }),
      );
      const [storage] = storages;
      if (storage === undefined) return expect.unreachable();
      const records = await Promise.all(keys.map((key) => getRecord(storage, key)));
      expect(records.map((record) => [record?.value, record?.revision])).toEqual(keys.map(() => ["18", 18]));
      expect(
        await runSql(url, "SELECT deadlocks::integer FROM pg_stat_database WHERE datname = current_database()"),
      ).toEqual([{ deadlocks: 0 }]);
    });
  });

  it("the insertion of a row that another process has inserted first fails alone, not with its batch", async () => {
    const { storages } = await openStorages(1);
    const [storage] = storages;
    const fixture = storage && createFixture(storage);
    await fixture?.createVault();
    await fixture?.write(revocationOf("token-1"));
    const results = await Promise.allSettled([
      fixture?.put(itemRef("item-1"), "a", 0),
      storage?.transact(refOf(), commitWrites([revocationOf("token-1")])),
      fixture?.put(itemRef("item-2"), "a", 0),
    ]);
    expect(results).toMatchObject([
      { value: { sequence: 1 } },
      { reason: { name: "StorageError", reason: "unavailable" } },
      { value: { sequence: 2 } },
    ]);
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
