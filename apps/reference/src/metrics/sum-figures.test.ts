import { expect, it } from "vitest";
import { sumFigures } from "./sum-figures.js";

it("the figures of several storages are summed", () => {
  const histogram = (counts: number[], sum: number) => ({ bounds: [1, 2], counts, sum });
  const one = {
    queued: 1,
    failedBatches: 2,
    batchCalls: histogram([1, 0, 3], 4),
    commitSeconds: histogram([0, 1, 0], 0.5),
    checkpointSeconds: histogram([0, 0, 1], 3),
    connections: { used: 1, idle: 2, pending: 3 },
  };
  expect(sumFigures([one])).toBe(one);
  expect(sumFigures([one, one, one])).toEqual({
    queued: 3,
    failedBatches: 6,
    batchCalls: histogram([3, 0, 9], 12),
    commitSeconds: histogram([0, 3, 0], 1.5),
    checkpointSeconds: histogram([0, 0, 3], 9),
    connections: { used: 3, idle: 6, pending: 9 },
  });
});
