import { expect, it } from "vitest";
import { createFakeClock } from "./fake-clock.js";

const { signal } = new AbortController();

it("concurrent sleeps overlap", async () => {
  const clock = createFakeClock();
  const startedAt = clock.now();
  const woken: number[] = [];
  const sleep = async (ms: number) => {
    await clock.sleep(ms, signal);
    woken.push(clock.now() - startedAt);
  };
  await Promise.all([sleep(2_000), sleep(500), sleep(2_000), sleep(1_000).then(() => sleep(500))]);
  expect(woken).toEqual([500, 1_000, 1_500, 2_000, 2_000]);
  expect(clock.slept).toEqual([2_000, 500, 2_000, 1_000, 500]);
});

it("without autoAdvance, only the test advances the clock", async () => {
  const clock = createFakeClock({ autoAdvance: false });
  const woken: number[] = [];
  const sleeping = clock.sleep(1_000, signal).then(() => woken.push(clock.now()));
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  expect(woken).toEqual([]);
  clock.pass(1_000);
  await sleeping;
  expect(woken).toHaveLength(1);
});
