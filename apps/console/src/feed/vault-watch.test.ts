import { describe, expect, it } from "vitest";
import { createVaultWatch, type VaultWatchOptions } from "./vault-watch.js";

type Answer = Awaited<ReturnType<VaultWatchOptions["ask"]>>;

const at = (sequence: number): Answer => ({ state: `at ${sequence}`, cursors: [{ vaultId: "v", sequence }] });
const lost = new Error("no answer");
const never = new AbortController().signal;

/** Runs a watch on a list of answers. The last call is not answered, until it is ended. */
function run(answers: readonly (Answer | Error)[]) {
  const asked: string[] = [];
  const slept: number[] = [];
  const states: string[] = [];
  const done = Promise.withResolvers<void>();
  const left = [...answers];
  const watch = createVaultWatch({
    async ask(state, signal) {
      asked.push(state);
      const next = left.shift();
      if (next instanceof Error) throw next;
      if (next !== undefined) return next;
      done.resolve();
      return new Promise<never>((_, reject) => signal.addEventListener("abort", () => reject(lost)));
    },
    async sleep(ms) {
      // The time after which an answer is late does not pass.
      if (ms === 450) return new Promise<never>(() => {});
      slept.push(ms);
    },
    now: () => 7,
  });
  watch.subscribe(() => states.push(watch.snapshot().state));
  const ended = new AbortController();
  void watch.run(ended.signal);
  return { watch, asked, slept, states, done: done.promise };
}

describe("the watch of the vaults", () => {
  it("asks where they are, and then waits for another state each time", async () => {
    const { watch, asked, slept, done } = run([at(1), at(2)]);
    await done;
    expect(asked).toEqual(["", "at 1", "at 2"]);
    expect(slept).toEqual([]);
    expect(watch.snapshot()).toEqual({ state: "live", positions: { v: 2 }, offlineSince: undefined });
  });

  it("is offline when a call that does not wait fails, and asks again after longer times until there is an answer", async () => {
    const { asked, slept, states, done } = run([at(1), lost, lost, lost, at(1), at(2)]);
    await done;
    expect(asked).toEqual(["", "at 1", "", "", "", "at 1", "at 2"]);
    expect(slept).toEqual([1000, 2000]);
    expect(states).toEqual(["live", "offline", "live", "live"]);
  });

  it("stays live when only calls that wait fail, and asks from time to time", async () => {
    const { slept, states, done } = run([at(1), lost, at(1), lost, at(1), lost, at(1), lost, at(2)]);
    await done;
    expect(slept).toEqual([500, 1000, 2000, 2000]);
    expect(states).toEqual(["live", "live"]);
  });

  it("asks at once when there is a doubt, and is offline if the answer is late", async () => {
    let isLate = () => {};
    const asked: string[] = [];
    const watch = createVaultWatch({
      async ask(state, signal) {
        asked.push(state);
        if (asked.length === 1) return at(1);
        return new Promise<never>((_, reject) => signal.addEventListener("abort", () => reject(lost)));
      },
      sleep: () =>
        new Promise((resolve) => {
          isLate = resolve;
        }),
      now: () => 7,
    });
    void watch.run(never);
    await expect.poll(() => asked).toEqual(["", "at 1"]);
    watch.doubt();
    await expect.poll(() => asked).toEqual(["", "at 1", ""]);
    expect(watch.snapshot().state).toBe("live");
    isLate();
    await expect.poll(() => watch.snapshot()).toEqual({ state: "offline", positions: { v: 1 }, offlineSince: 7 });
  });

  it("says once for the same positions that a copy is elsewhere", async () => {
    const { watch, done } = run([at(5)]);
    await done;
    const settled: number[] = [];
    const changed = async (sequence: number) => {
      await watch.changed({ vaultId: "v", sequence }, never);
      settled.push(sequence);
    };
    await changed(4);
    // The copy has read what came after the positions.
    const waiting = changed(6);
    watch.set({ ...watch.snapshot(), positions: { v: 5 } });
    await Promise.resolve();
    expect(settled).toEqual([4]);
    watch.set({ ...watch.snapshot(), positions: { v: 7 } });
    await waiting;
    expect(settled).toEqual([4, 6]);
  });
});
