import { type CallSeries, type CallTotals, createCallSeries } from "./call-series.js";

const everyMs = 10_000;
/** Samples of 24 hours. */
const most = (24 * 60 * 60_000) / everyMs;

/** A series that is sampled until it is disposed of. */
export interface SampledSeries extends CallSeries, Disposable {}

/** Samples every 10 s what the process does, for 24 hours. Does not keep the process alive. */
export function startCallSeries(totals: () => CallTotals): SampledSeries {
  const series = createCallSeries({ totals, now: Date.now, most });
  const timer = setInterval(series.sample, everyMs).unref();
  return { ...series, [Symbol.dispose]: () => clearInterval(timer) };
}
