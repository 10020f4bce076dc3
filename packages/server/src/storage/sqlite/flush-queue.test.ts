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

  it("traces each batch with the spans of its calls", async () => {
    const events: unknown[] = [];
    const spans = ["1", undefined, "3", "4"].map((spanId) => spanId && { traceId: "t", spanId, traceFlags: 1 });
    const queue = createFlushQueue<string>({
      queueLimit: 10,
      batchLimit: 3,
      flush: (batch) => void events.push(batch.join()),
      tracing: {
        current: () => spans.shift() || undefined,
        beginBatch(calls, callers) {
          events.push([calls, ...callers.map(({ spanId }) => spanId)]);
          return () => events.push("ended");
        },
      },
    });
    for (const call of ["a", "b", "c", "d"]) queue.push(call);
    expect(queue.length).toBe(4);
    await queue.drained();
    expect(events).toEqual([[3, "1", "3"], "a,b,c", "ended", [1, "4"], "d", "ended"]);
    expect(queue.length).toBe(0);
  });

  it("resolves drained() at once when it is empty", async () => {
    const { batches, queue } = open(2, 10);
    await queue.drained();
    expect(batches).toEqual([]);
  });
});
