import type { CallSeries, SeriesPoint } from "@platform-rpc/accounts/http/call-series";
import type { CallCount, CallDurations } from "./call-figures.js";

/** The calls since the start of the process, as the metrics count them. */
export interface CallTotals {
  readonly calls: readonly CallCount[];
  readonly durations: readonly Pick<CallDurations, "operation" | "bounds" | "counts">[];
}

/** A series that grows with each sample. */
interface GrowingSeries extends CallSeries {
  /** Adds what happened since the last sample. */
  sample(): void;
}

/** What happened between two samples. */
interface Sample {
  readonly from: number;
  readonly at: number;
  readonly deletions: number;
  readonly exchanges: number;
  readonly refusals: ReadonlyMap<string, number>;
  readonly counts: readonly number[];
}

const deletion = "platform.v1.VaultService/DeleteItem";
const exchange = "platform.v1.IdentityGatewayService/ExchangeMcpOauthDeviceAuthorization";

/** Waits for changes, and is canceled when a page is closed: neither is the latency or the refusal of a call. */
const waiting = "platform.accounts.v1.MemberVaultService/ListChanges";

/** Creates a series of bounded size. The oldest samples are discarded. */
export function createCallSeries(deps: {
  readonly totals: () => CallTotals;
  readonly now: () => number;
  /** The largest number of samples. */
  readonly most: number;
}): GrowingSeries {
  const { totals, now, most } = deps;
  const samples: Sample[] = [];
  let last = { at: now(), ...flat(totals()) };

  return {
    sample() {
      const current = { at: now(), ...flat(totals()) };
      const before = last;
      last = current;
      const grown = (of: (state: typeof current) => number) => of(current) - of(before);
      const refusals = [...current.refusals].map(
        ([reason, n]) => [reason, n - (before.refusals.get(reason) ?? 0)] as const,
      );
      samples.push({
        from: before.at,
        at: current.at,
        deletions: grown(({ deletions }) => deletions),
        exchanges: grown(({ exchanges }) => exchanges),
        refusals: new Map(refusals.filter(([, n]) => n > 0)),
        counts: current.counts.map((n, bucket) => n - (before.counts[bucket] ?? 0)),
      });
      if (samples.length > most) samples.shift();
    },

    read(forMs, mostPoints) {
      const wanted = samples.filter(({ at }) => at > now() - forMs);
      const size = Math.max(1, Math.ceil(wanted.length / mostPoints));
      const groups = Math.ceil(wanted.length / size);
      const bounds = totals().durations[0]?.bounds ?? [];
      return Array.from({ length: groups }, (_, n) => pointOf(wanted.slice(n * size, (n + 1) * size), bounds));
    },
  };
}

function flat({ calls, durations }: CallTotals) {
  const refusals = new Map<string, number>();
  let [deletions, exchanges] = [0, 0];
  for (const { operation, reason, count } of calls) {
    if (operation === waiting) continue;
    if (reason !== "OK") refusals.set(reason, (refusals.get(reason) ?? 0) + count);
    else if (operation === deletion) deletions += count;
    else if (operation === exchange) exchanges += count;
  }
  const timed = durations.filter(({ operation }) => operation !== waiting);
  return { deletions, exchanges, refusals, counts: addAll(timed.map(({ counts }) => counts)) };
}

/** Summarizes consecutive samples, of which there is at least one. */
function pointOf(group: readonly Sample[], bounds: readonly number[]): SeriesPoint {
  const minutes = Math.max(1, (group.at(-1)?.at ?? 0) - (group[0]?.from ?? 0)) / 60_000;
  const rate = (of: (sample: Sample) => number) => group.reduce((sum, sample) => sum + of(sample), 0) / minutes;
  const reasons = new Set(group.flatMap(({ refusals }) => [...refusals.keys()]));
  const counts = addAll(group.map((sample) => sample.counts));
  return {
    at: group.at(-1)?.at ?? 0,
    deletions: rate(({ deletions }) => deletions),
    exchanges: rate(({ exchanges }) => exchanges),
    refusals: Object.fromEntries(
      [...reasons].map((reason) => [reason, rate(({ refusals }) => refusals.get(reason) ?? 0)]),
    ),
    p50: quantile(0.5, bounds, counts),
    p99: quantile(0.99, bounds, counts),
  };
}

function addAll(lists: readonly (readonly number[])[]): readonly number[] {
  const longest = Math.max(0, ...lists.map(({ length }) => length));
  return Array.from({ length: longest }, (_, place) => lists.reduce((sum, list) => sum + (list[place] ?? 0), 0));
}

/**
 * Estimates a quantile of a histogram of seconds, in milliseconds: values are assumed to be spread evenly in each bucket, and those
 * above the last bound count as that bound. Undefined for an empty histogram.
 */
export function quantile(of: number, bounds: readonly number[], counts: readonly number[]): number | undefined {
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total === 0) return undefined;
  let below = 0;
  for (const [bucket, bound] of bounds.entries()) {
    const count = counts[bucket] ?? 0;
    if (count > 0 && below + count >= of * total) {
      const start = bounds[bucket - 1] ?? 0;
      return (start + ((bound - start) * (of * total - below)) / count) * 1000;
    }
    below += count;
  }
  return (bounds.at(-1) ?? 0) * 1000;
}

const everyMs = 10_000;
/** Samples of 24 hours. */
const most = (24 * 60 * 60_000) / everyMs;

/** A series that is sampled until it is disposed of. */
interface SampledSeries extends CallSeries, Disposable {}

/** Samples every 10 s what the process does, for 24 hours. Does not keep the process alive. */
export function startCallSeries(totals: () => CallTotals): SampledSeries {
  const series = createCallSeries({ totals, now: Date.now, most });
  const timer = setInterval(series.sample, everyMs).unref();
  return { ...series, [Symbol.dispose]: () => clearInterval(timer) };
}
