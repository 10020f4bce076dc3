import { expect, it } from "vitest";
import { refOf } from "../../ports/storage.js";
import { createStorageRecorder } from "../figures.js";
import { createBatches, type PendingCall } from "./batches.js";

function callOf(...lanes: readonly string[]): PendingCall {
  return {
    ref: refOf(),
    lanes,
    tries: 0,
    span: undefined,
    wanted: () => true,
    decide: () => ({ outcome: undefined, writes: [] }),
    succeed: () => {},
    fail: () => {},
  };
}

/** Creates batches that end when `endOldest` is called, and records the lanes of each. */
function createTestBatches(inFlightLimit: number, batchLimit = 256, queueLimit = 1000) {
  const started: string[][] = [];
  const running: (() => void)[] = [];
  const decide: (() => void)[] = [];
  const batches = createBatches({
    queueLimit,
    batchLimit,
    inFlightLimit,
    recorder: createStorageRecorder(),
    run(calls, decided) {
      decide.push(() => decided(calls.slice(1)));
      started.push(calls.flatMap(({ lanes }) => lanes));
      return new Promise((resolve) => running.push(() => resolve({ result: "written", again: [] })));
    },
  });
  const push = (lanes: readonly string[]) => {
    for (const lane of lanes) batches.push(callOf(lane));
  };
  return { batches, started, push, answerFirst: () => decide.shift()?.(), endOldest: () => running.shift()?.() };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));
const lanes = (count: number) => Array.from({ length: count }, (_, index) => `lane-${index}`);
const sizes = (started: readonly (readonly string[])[]) => started.map(({ length }) => length);

it.each([
  { count: 1, lanesOfThem: 1, inFlight: 2, expected: [1] },
  { count: 16, lanesOfThem: 16, inFlight: 2, expected: [16] },
  { count: 20, lanesOfThem: 20, inFlight: 2, expected: [16, 4] },
  { count: 64, lanesOfThem: 64, inFlight: 2, expected: [32, 32] },
  { count: 64, lanesOfThem: 64, inFlight: 1, expected: [64] },
  { count: 64, lanesOfThem: 64, inFlight: 4, expected: [16, 16, 16, 16] },
  { count: 64, lanesOfThem: 1, inFlight: 2, expected: [64] },
  { count: 64, lanesOfThem: 64, inFlight: Number.POSITIVE_INFINITY, expected: [64] },
])(
  "$count calls of $lanesOfThem lanes start in batches of $expected, with up to $inFlight in flight",
  async ({ count, lanesOfThem, inFlight, expected }) => {
    const { started, push } = createTestBatches(inFlight);
    push(Array.from({ length: count }, (_, index) => `lane-${index % lanesOfThem}`));
    await expect.poll(() => sizes(started)).toEqual(expected);
  },
);

it("the calls of one lane are in one batch, up to its limit, and the others wait until it has ended", async () => {
  const { started, push, endOldest } = createTestBatches(2, 20);
  push(Array<string>(30).fill("a"));
  await expect.poll(() => sizes(started)).toEqual([20]);
  push(["b"]);
  await expect.poll(() => started[1]).toEqual(["b"]);
  endOldest();
  await expect.poll(() => sizes(started)).toEqual([20, 1, 10]);
});

it("calls wait only for batches that share a lane, if any number of batches may be in flight", async () => {
  const { started, push, endOldest } = createTestBatches(Number.POSITIVE_INFINITY);
  push(["a"]);
  await expect.poll(() => started).toEqual([["a"]]);
  push(["a", "b", "a", "c"]);
  await expect.poll(() => started).toEqual([["a"], ["b", "c"]]);
  endOldest();
  await expect.poll(() => started).toEqual([["a"], ["b", "c"], ["a", "a"]]);
});

it("a call that its batch has answered makes its lane free, before the batch ends", async () => {
  const { started, push, answerFirst } = createTestBatches(2);
  push(["a", "b"]);
  await expect.poll(() => started).toEqual([["a", "b"]]);
  push(["a", "b"]);
  answerFirst();
  await expect.poll(() => started).toEqual([["a", "b"], ["a"]]);
});

it("calls in flight count for the limit of the queue, if any number of batches may be in flight", async () => {
  const { batches, started, endOldest } = createTestBatches(Number.POSITIVE_INFINITY, 256, 2);
  expect([batches.push(callOf("a")), batches.push(callOf("b")), batches.push(callOf("c"))]).toEqual([
    true,
    true,
    false,
  ]);
  await expect.poll(() => started).toEqual([["a", "b"]]);
  expect(batches.push(callOf("c"))).toBe(false);
  endOldest();
  await expect.poll(() => batches.push(callOf("c"))).toBe(true);
});

it("a call of two lanes waits for both, and no later call of either lane is decided before it", async () => {
  const { batches, started, push, endOldest } = createTestBatches(Number.POSITIVE_INFINITY);
  push(["a"]);
  await expect.poll(() => started).toEqual([["a"]]);
  batches.push(callOf("a", "b"));
  push(["b", "c"]);
  await expect.poll(() => started).toEqual([["a"], ["c"]]);
  endOldest();
  await expect.poll(() => started).toEqual([["a"], ["c"], ["a", "b", "b"]]);
});

it("a small batch waits while each turn of the event loop brings another call", async () => {
  const { started, push } = createTestBatches(2);
  for (const lane of lanes(5)) {
    push([lane]);
    await turn();
  }
  expect(started).toEqual([]);
  await turn();
  expect(started).toEqual([lanes(5)]);
});

it("a batch that is large enough does not wait for further calls", async () => {
  const { started, push } = createTestBatches(1);
  push(lanes(16));
  await turn();
  expect(sizes(started)).toEqual([16]);
});
