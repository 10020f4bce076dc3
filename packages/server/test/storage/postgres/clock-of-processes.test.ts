import { describe, expect, it } from "vitest";
import { createClockWatch } from "../../../src/jobs/clock-watch.js";
import { fakeClock } from "../../../src/testing/fake-clock.js";
import { openStorages } from "./testing/open-storages.js";

const minute = 60_000;
const hour = 60 * minute;

/** Opens the clock watches of three processes, of which the first has the lease. */
async function openWatches() {
  const { storages } = await openStorages(3);
  const processes = storages.map((storage, index) => {
    const clocks = fakeClock();
    const lease = storage.lease("jobs");
    return { clocks, lease, watch: createClockWatch({ storage, runId: `run-${index}`, clocks, lease }) };
  });
  const readAll = async () => {
    const trusted = [];
    for (const { watch } of processes) trusted.push((await watch.read()).trusted);
    return trusted;
  };
  const advanceAll = (ms: number) => {
    for (const { clocks } of processes) clocks.advance(ms);
  };
  expect(await readAll()).toEqual([true, true, true]);
  return { processes, readAll, advanceAll };
}

describe("DECISIONS section 3: the clocks of several processes", () => {
  it("are trusted while they agree, also when another process becomes the one that stores its readings", async () => {
    const { processes, readAll, advanceAll } = await openWatches();
    for (let reading = 0; reading < 200; reading += 1) {
      advanceAll(minute);
      expect(await readAll()).toEqual([true, true, true]);
    }
    await processes[0]?.lease.release();
    expect(await processes[1]?.lease.hold()).toBe(true);
    advanceAll(minute);
    expect(await readAll()).toEqual([true, true, true]);
  });

  it.each([-2 * hour, 2 * hour])(
    "a step of %i ms in one process is found there, and stops no other process",
    async (step) => {
      const { processes, readAll } = await openWatches();
      processes[1]?.clocks.step(step);
      expect(await readAll()).toEqual([true, false, true]);
      processes[1]?.clocks.step(-step);
      expect(await readAll()).toEqual([true, true, true]);
    },
  );

  it("a process with a stepped clock does not become trusted by taking the lease", async () => {
    const { processes, readAll } = await openWatches();
    processes[1]?.clocks.step(2 * hour);
    await processes[0]?.lease.release();
    expect(await processes[1]?.lease.hold()).toBe(true);
    expect(await processes[1]?.watch.read()).toMatchObject({ trusted: false });
    expect(await readAll()).toEqual([false, false, false]);
  });
});
