import type { Histogram, StorageFigures } from "@platform-rpc/server";

/** Sums the figures of the storages of a process: on PostgreSQL, each thread that serves HTTP has its own. */
export function sumFigures([first, ...others]: readonly [StorageFigures, ...StorageFigures[]]): StorageFigures {
  return others.reduce(
    (sum, figures) => ({
      queued: sum.queued + figures.queued,
      failedBatches: sum.failedBatches + figures.failedBatches,
      batchCalls: addHistograms(sum.batchCalls, figures.batchCalls),
      commitSeconds: addHistograms(sum.commitSeconds, figures.commitSeconds),
      checkpointSeconds: addHistograms(sum.checkpointSeconds, figures.checkpointSeconds),
      connections: {
        used: sum.connections.used + figures.connections.used,
        idle: sum.connections.idle + figures.connections.idle,
        pending: sum.connections.pending + figures.connections.pending,
      },
    }),
    first,
  );
}

function addHistograms(one: Histogram, other: Histogram): Histogram {
  return {
    bounds: one.bounds,
    counts: one.counts.map((count, bucket) => count + (other.counts[bucket] ?? 0)),
    sum: one.sum + other.sum,
  };
}
