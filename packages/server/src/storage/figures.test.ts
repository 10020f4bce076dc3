import { describe, expect, it } from "vitest";
import { createStorageRecorder } from "./figures.js";

const total = (counts: readonly number[]) => counts.reduce((sum, count) => sum + count, 0);

describe("the figures of a storage", () => {
  it("count each batch in the bucket of its size, and the time of those that wrote", () => {
    const recorder = createStorageRecorder();
    recorder.queued(7);
    recorder.connections({ used: 1, idle: 2, pending: 3 });
    recorder.batch(1, "written", 0.5);
    recorder.batch(3, "unchanged", 0.1);
    recorder.batch(300, "failed", 9);
    recorder.checkpoint(30);
    const { queued, failedBatches, batchCalls, commitSeconds, checkpointSeconds, connections } = recorder.read();
    expect({ queued, failedBatches }).toEqual({ queued: 7, failedBatches: 1 });
    expect(connections).toEqual({ used: 1, idle: 2, pending: 3 });
    expect(batchCalls).toEqual({
      bounds: [1, 2, 4, 8, 16, 32, 64, 128, 256],
      counts: [1, 0, 1, 0, 0, 0, 0, 0, 0, 1],
      sum: 304,
    });
    expect(commitSeconds.counts[0]).toBe(1);
    expect(total(commitSeconds.counts)).toBe(1);
    expect(commitSeconds.sum).toBeCloseTo(0.0005);
    expect(checkpointSeconds.bounds[checkpointSeconds.counts.indexOf(1)]).toBe(0.05);
    expect(checkpointSeconds.sum).toBeCloseTo(0.03);
  });
});
