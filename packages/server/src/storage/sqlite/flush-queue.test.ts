import { describe, expect, it } from "vitest";
import { createFlushQueue } from "./flush-queue.js";

function open(queueLimit: number, batchLimit: number) {
  const batches: number[][] = [];
  const queue = createFlushQueue<number>({ queueLimit, batchLimit, flush: (batch) => void batches.push([...batch]) });
  return { batches, queue };
}

describe("the queue in front of the group commit", () => {
  it("flushes the calls of one turn of the event loop in order, in batches of at most batchLimit", async () => {
    const { batches, queue } = open(10, 3);
    for (const call of [1, 2, 3, 4, 5, 6, 7]) queue.push(call);
    expect(batches).toEqual([]);
    await queue.drained();
    expect(batches).toEqual([[1, 2, 3], [4, 5, 6], [7]]);
  });

  it("rejects calls beyond queueLimit, and accepts calls again after a flush", async () => {
    const { batches, queue } = open(2, 10);
    expect([queue.push(1), queue.push(2), queue.push(3)]).toEqual([true, true, false]);
    await queue.drained();
    expect(queue.push(4)).toBe(true);
    await queue.drained();
    expect(batches).toEqual([[1, 2], [4]]);
  });

  it("resolves drained() at once when it is empty", async () => {
    const { batches, queue } = open(2, 10);
    await queue.drained();
    expect(batches).toEqual([]);
  });
});
