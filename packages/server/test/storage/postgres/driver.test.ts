import { expect, it } from "vitest";
import { unchanged } from "../../../src/domain/model/decision.js";
import type { RecordKey } from "../../../src/domain/model/record.js";
import type { RecordsSnapshot } from "../../../src/domain/model/vault.js";
import { defineRule } from "../../../src/domain/rule.js";
import { refOf } from "../../../src/ports/storage.js";
import { createPendingCall, type PendingCall } from "../../../src/storage/engine/batches.js";
import { createRunBatch } from "../../../src/storage/engine/run-batch.js";
import { createContentCipher } from "../../../src/storage/postgres/content-cipher.js";
import { createPostgresDriver } from "../../../src/storage/postgres/driver.js";
import type { LoadKeys } from "../../../src/storage/postgres/load-keys.js";
import type { LoadedRows } from "../../../src/storage/postgres/loaded-rows.js";

const keyOf = (key: string): RecordKey => ({ tenantId: "t", collection: "c", key });

/** Reads two records, one after the other. */
const readTwo = defineRule(({ find }: RecordsSnapshot, name: string) =>
  unchanged([find(keyOf(name)), find(keyOf(`${name}, again`))].length),
);

/** Runs a batch of calls against a database without rows, which answers for the keys that `known` accepts. */
async function run(names: readonly string[], known: (key: string) => boolean) {
  let loads = 0;
  const calls: PendingCall[] = [];
  const driver = createPostgresDriver({
    async load(keys): Promise<LoadedRows> {
      loads += 1;
      if (loads > 10) throw new Error("The batch does not end.");
      const asked: Partial<LoadKeys> = JSON.parse(keys.toJson());
      const records = (asked.records ?? []).filter(({ k }) => known(k));
      return {
        ...{ items: null, vaults: null, newVaultFloor: null },
        records: records.map(({ t, c, k }) => [t, c, k, "", "", "", null, 0, null] as const),
      };
    },
    commit: () => expect.unreachable("nothing is written"),
    cipher: createContentCipher(new Uint8Array(32)),
  });
  const runBatch = createRunBatch(driver);
  const outcomes = names.map(
    (name) =>
      new Promise((resolve) => {
        const call = createPendingCall(
          refOf(),
          readTwo(name),
          { span: undefined },
          ({ outcome }) => resolve(outcome),
          resolve,
        );
        calls.push(call);
      }),
  );
  await runBatch(calls);
  return { loads, outcomes: await Promise.all(outcomes) };
}

it("what the calls of a batch miss is loaded together: as often as one call alone would load", async () => {
  const names = Array.from({ length: 50 }, (_, n) => `name-${n}`);
  expect(await run(names, () => true)).toEqual({ loads: 3, outcomes: names.map(() => 2) });
  expect((await run(["alone"], () => true)).loads).toBe(3);
});

it("a database that leaves out what it is asked for fails the batch as unavailable, and does not keep it forever", async () => {
  const { loads, outcomes } = await run(["a"], (key) => !key.endsWith("again"));
  expect(loads).toBeLessThan(10);
  expect(outcomes).toMatchObject([{ name: "StorageError", reason: "unavailable" }]);
});
