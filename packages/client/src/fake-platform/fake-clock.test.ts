import { expect, it } from "vitest";
import { createFakeClock } from "./fake-clock.js";

const { signal } = new AbortController();

it("those who wait at the same time wait beside each other", async () => {
  const clock = createFakeClock(0);
  const woken: number[] = [];
  const sleep = async (ms: number) => {
    await clock.sleep(ms, signal);
    woken.push(clock.now());
  };
  await Promise.all([sleep(2_000), sleep(500), sleep(2_000), sleep(1_000).then(() => sleep(500))]);
  expect(woken).toEqual([500, 1_000, 1_500, 2_000, 2_000]);
  expect(clock.slept).toEqual([2_000, 500, 2_000, 1_000, 500]);
});

it("nobody's time passes for one who has stopped waiting", async () => {
  const clock = createFakeClock(0);
  const leaving = new AbortController();
  void clock.sleep(9_000, leaving.signal);
  leaving.abort();
  await clock.sleep(1_000, signal);
  expect(clock.now()).toBe(1_000);
});

it("what is to run after a time runs when a test lets it pass, or somebody waits for longer", async () => {
  const clock = createFakeClock(0);
  const ran: number[] = [];
  clock.after(300, () => ran.push(clock.now()));
  const stop = clock.after(300, () => ran.push(-1));
  stop();
  clock.pass(299);
  expect(ran).toEqual([]);
  await clock.sleep(1, signal);
  expect(ran).toEqual([300]);
});
