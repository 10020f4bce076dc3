import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import type { RecordedCall } from "../history/journal.ts";
import type { Fault, Judgement } from "../inject/fault.ts";
import { milliseconds } from "../report/report.ts";
import { growthOf, median, quantile } from "./slope.ts";

/**
 * V8 lets garbage grow for longer than a run at a low load. With little space for new objects, and without old garbage, only memory
 * that is in use can grow.
 */
const nodeOptions = `--max-semi-space-size=2 --import=${import.meta.resolve("./collect-garbage.ts")}`;
/** The samples before this share of the time are those of a warm-up. */
const warmUp = 0.2;
/** The largest growth of the memory after the warm-up, as a share of its median. */
const largestGrowth = 0.1;
/** The largest growth of the descriptors and the connections. In a short run, some connections are opened late. */
const largestCount = { full: 2, short: 16 };
/** The largest ratio of the last p99 and the first one. */
const largestRatio = 1.2;

type Series = readonly ({ readonly at: number } & Resources)[];

/**
 * Creates a run without a fault that measures whether anything grows.
 *
 * @param short checks only the counts: in seconds, memory and latencies do not settle.
 */
export function createSoak(seconds: number, short: boolean): Fault {
  const series: (readonly [number, Series])[] = [];
  return {
    title: `soak, ${seconds} s`,
    engines: ["sqlite", "postgres"],
    setUp: () => ({ NODE_OPTIONS: nodeOptions }),
    async inject({ apps }) {
      const samples = apps.map(({ pid }) => [pid, []] as [number, ({ at: number } & Resources)[]]);
      for (let at = 0; at < seconds; at += 1) {
        await setTimeout(1000);
        for (const [pid, own] of samples) own.push({ at, ...readResources(pid) });
      }
      series.push(...samples);
      return [];
    },
    judge: (calls) => {
      const judgements = [
        ...series.map(([pid, own]) => judgeGrowth(pid, own, short)),
        judgeLatencies(calls, seconds, short),
      ];
      return {
        figures: judgements.flatMap(({ figures }) => figures),
        violations: judgements.flatMap(({ violations }) => violations),
      };
    },
  };
}

function judgeGrowth(pid: number, all: Series, short: boolean): Judgement {
  const series = all.slice(Math.floor(all.length * warmUp));
  const of = (key: keyof Resources) => {
    const values = series.map((sample) => sample[key]);
    return { growth: growthOf(series.map(({ at, [key]: value }) => ({ at, value }))), median: median(values) };
  };
  const [memory, descriptors, connections] = [of("memory"), of("descriptors"), of("connections")];
  const most = largestCount[short ? "short" : "full"];
  const share = memory.growth / memory.median;
  return {
    figures: [
      [`process ${pid}: memory`, `${memory.median.toFixed(0)} MiB, growth ${(share * 100).toFixed(1)} %`],
      [`process ${pid}: descriptors`, `${descriptors.median}, growth ${descriptors.growth.toFixed(1)}`],
      [`process ${pid}: connections`, `${connections.median}, growth ${connections.growth.toFixed(1)}`],
    ],
    violations: [
      ...(!short && share > largestGrowth ? [`the memory of process ${pid} grows`] : []),
      ...(descriptors.growth > most ? [`process ${pid} leaks descriptors`] : []),
      ...(connections.growth > most ? [`process ${pid} leaks connections`] : []),
    ],
  };
}

/** Compares the latencies of the last minute with those of the first, or of the quarters of a short run. */
function judgeLatencies(calls: readonly RecordedCall[], seconds: number, short: boolean): Judgement {
  const answered = calls.filter(({ result, request }) => result !== undefined && request.on !== "vault");
  const begins = answered.map(({ begunAt }) => begunAt).sort((a, b) => a - b);
  const [from = 0] = begins;
  const until = from + seconds * 1e6;
  const part = short ? (until - from) / 4 : 60e6;
  const p99 = (start: number) =>
    quantile(
      answered.flatMap(({ begunAt, endedAt }) =>
        begunAt >= start && begunAt < start + part ? [(endedAt - begunAt) / 1000] : [],
      ),
      0.99,
    );
  const [first, last] = [p99(from), p99(until - part)];
  const ratio = last / first;
  return {
    figures: [
      ["p99 at the beginning", `${first.toFixed(1)} ms`],
      ["p99 at the end", `${last.toFixed(1)} ms, ratio ${ratio.toFixed(2)}`],
      ["median", milliseconds(median(answered.map(({ begunAt, endedAt }) => (endedAt - begunAt) / 1000)))],
    ],
    violations: !short && ratio > largestRatio ? [`the p99 at the end is ${ratio.toFixed(2)} times the first`] : [],
  };
}

/** The resources of a process at one moment. */
interface Resources {
  /** The resident memory that belongs to this process alone, in MiB: without files that it maps. */
  readonly memory: number;
  readonly descriptors: number;
  /** The descriptors that are sockets. */
  readonly connections: number;
}

/** Reads the resources of a process from /proc (Linux). */
function readResources(pid: number): Resources {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const [, kibibytes] = /^RssAnon:\s+(\d+) kB$/m.exec(status) ?? [];
  const descriptors = readdirSync(`/proc/${pid}/fd`);
  return {
    memory: Number(kibibytes) / 1024,
    descriptors: descriptors.length,
    connections: descriptors.filter((name) => isSocket(`/proc/${pid}/fd/${name}`)).length,
  };
}

function isSocket(path: string): boolean {
  try {
    return readlinkSync(path).startsWith("socket:");
  } catch {
    // The descriptor was closed in the meantime.
    return false;
  }
}
