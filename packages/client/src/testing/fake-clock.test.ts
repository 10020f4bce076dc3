import { expect, it } from "vitest";
import { createFakeClock } from "./fake-clock.js";

const { signal } = new AbortController();

it("those who wait at the same time wait beside each other", async () => {
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

it("nobody's time passes for one who has stopped waiting", async () => {
  const clock = createFakeClock();
  const startedAt = clock.now();
  const leaving = new AbortController();
  void clock.sleep(9_000, leaving.signal);
  leaving.abort();
  await clock.sleep(1_000, signal);
  expect(clock.now() - startedAt).toBe(1_000);
});

it("what is to run after a time runs when a test lets it pass, or somebody waits for longer", async () => {
  const clock = createFakeClock();
  const startedAt = clock.now();
  const ran: number[] = [];
  clock.after(300, () => ran.push(clock.now() - startedAt));
  const stop = clock.after(300, () => ran.push(-1));
  stop();
  clock.pass(299);
  expect(ran).toEqual([]);
  await clock.sleep(1, signal);
  expect(ran).toEqual([300]);
});

it("without autoAdvance time passes only when the test says so", async () => {
  const clock = createFakeClock({ autoAdvance: false });
  const woken: number[] = [];
  const sleeping = clock.sleep(1_000, signal).then(() => woken.push(clock.now()));
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  expect(woken).toEqual([]);
  clock.pass(1_000);
  await sleeping;
  expect(woken).toHaveLength(1);
});
