import { describe, expect, it, onTestFinished } from "vitest";
import { createSqliteStorage } from "../storage/sqlite/create-sqlite-storage.js";
import { content } from "../testing/cases/item-case.js";
import { caseCaller, createStorageHost } from "../testing/cases/storage-driver.js";
import { fakeClock } from "../testing/fake-clock.js";
import { createSecrets } from "../tokens/secrets.js";
import { createClockWatch } from "./clock-watch.js";
import { createShredItems } from "./shred-items.js";

const day = 24 * 60 * 60 * 1000;
const vault = { tenantId: "t-1", vaultId: "v-1" };

/** Creates the job, and a vault with so many items that are deleted. */
async function tombstones(count: number) {
  const clock = fakeClock();
  const storage = createSqliteStorage({ path: ":memory:" });
  onTestFinished(() => storage.close());
  const clockWatch = createClockWatch({ storage, runId: "run-1", clocks: clock });
  const secrets = createSecrets({ hmacKey: new Uint8Array(32), clock });
  const host = createStorageHost(storage, clock);
  await host.createVault({ ...vault, retentionDays: 30, role: undefined, floor: 0 });
  const refs = Array.from({ length: count }, (_, index) => ({ ...vault, itemId: `i-${index}` }));
  await Promise.all(refs.map((ref) => host.change(ref, { operation: "PutItem", baseVersion: 0, content })));
  await Promise.all(refs.map((ref) => host.change(ref, { operation: "DeleteItem", baseVersion: 1 })));
  return {
    clock,
    shred: createShredItems({ storage, clockWatch, secrets }),
    trustClock: () => clockWatch.trust({ actor: caseCaller, wanted: () => true }),
    due: async () => (await storage.listShreddable(clock.now(), 500)).length,
  };
}

// What shredding leaves is in testing/cases.
describe("DECISIONS section 3: when the retention ends, items are shredded", () => {
  it("works in batches, and stops between two of them when its signal is aborted", async () => {
    const { clock, shred, due } = await tombstones(200);
    clock.advance(30 * day);
    const stop = new AbortController();
    const shredding = shred(stop.signal);
    stop.abort();
    expect(await shredding).toBe(64);
    expect(await shred(stop.signal)).toBe(0);
    const [one, other] = await Promise.all([shred(), shred()]);
    expect(one + other).toBe(136);
    expect(await due()).toBe(0);
  });

  it("shreds nothing after the wall clock jumps 31 days ahead, until an operator trusts it", async () => {
    const { clock, shred, trustClock } = await tombstones(1);
    expect(await shred()).toBe(0);
    clock.step(31 * day);
    expect(await shred()).toBe(0);
    clock.advance(26_000);
    expect(await shred()).toBe(0);
    await trustClock();
    expect(await shred()).toBe(1);
  });
});
