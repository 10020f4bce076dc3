import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import type { RecordedCall } from "../history/journal.ts";
import type { Fault, Judgement } from "./fault.ts";

/**
 * V8 lets garbage grow for longer than a run at a low load. With little space for new objects, and without old garbage, only memory
 * that is in use can grow.
 */
const nodeOptions = `--max-semi-space-size=2 --import=${import.meta.resolve("./collect-garbage.ts")}`;

/** The share of the time that is a warm-up. The first and the last quarter of the rest are compared. */
const warmUp = 0.2;

/** In a shorter run, memory and latencies do not settle, and the clients open many of their connections late. */
const settledMinutes = 5;

/** The largest ratios of the last quarter and the first one. */
const most = { memory: 1.075, p99: 1.2 };

interface Sample {
  readonly pid: number;
  /** The resident memory that belongs to this process alone, in MiB: without files that it maps. */
  readonly memory: number;
  readonly descriptors: number;
  /** The descriptors that are sockets. */
  readonly connections: number;
}

/** A load without a fault at a steady rate, which measures whether memory, descriptors, connections or latencies grow. */
export function createSteadyLoad(minutes: number): Fault {
  const samples: Sample[] = [];
  const settled = minutes >= settledMinutes;
  return {
    title: `steady load for ${minutes} min`,
    engines: ["sqlite", "postgres"],
    callsPerSecond: 300,
    setUp: () => ({ NODE_OPTIONS: nodeOptions }),
    async inject({ apps }) {
      for (const endsAt = performance.now() + minutes * 60_000; performance.now() < endsAt; await setTimeout(1000)) {
        samples.push(...apps.map(({ pid }) => readSample(pid)));
      }
      return [];
    },
    judge(calls) {
      const processes = Map.groupBy(samples, ({ pid }) => pid);
      const judgements = [...[...processes.values()].map((own) => judgeGrowth(own, settled)), judgeP99(calls, settled)];
      return {
        figures: judgements.flatMap(({ figures }) => figures),
        violations: judgements.flatMap(({ violations }) => violations),
      };
    },
  };
}

function judgeGrowth(samples: readonly Sample[], settled: boolean): Judgement {
  const { first, last } = quartersOf(samples);
  const of = (key: "memory" | "descriptors" | "connections") => {
    const [before, after] = [first, last].map((part) =>
      quantile(
        part.map(({ [key]: value }) => value),
        0.5,
      ),
    );
    return { before: before ?? 0, after: after ?? 0 };
  };
  const [memory, descriptors, connections] = [of("memory"), of("descriptors"), of("connections")];
  const mostOpened = settled ? 2 : 64;
  const name = `process ${first[0]?.pid}`;
  return {
    figures: [
      [`${name}: memory`, `${memory.before.toFixed(0)} MiB, then ${memory.after.toFixed(0)} MiB`],
      [`${name}: descriptors`, `${descriptors.before}, then ${descriptors.after}`],
      [`${name}: connections`, `${connections.before}, then ${connections.after}`],
    ],
    violations: [
      ...(settled && memory.after > most.memory * memory.before ? [`the memory of ${name} grows`] : []),
      ...(descriptors.after > descriptors.before + mostOpened ? [`${name} leaks descriptors`] : []),
      ...(connections.after > connections.before + mostOpened ? [`${name} leaks connections`] : []),
    ],
  };
}

function judgeP99(calls: readonly RecordedCall[], settled: boolean): Judgement {
  // A list waits for the next change.
  const answered = calls.filter(({ result, request }) => result !== undefined && request.on !== "vault");
  const { first, last } = quartersOf(answered.toSorted((a, b) => a.begunAt - b.begunAt));
  const p99Of = (part: readonly RecordedCall[]) =>
    quantile(
      part.map(({ begunAt, endedAt }) => (endedAt - begunAt) / 1000),
      0.99,
    );
  const [before, after] = [p99Of(first), p99Of(last)];
  return {
    figures: [["p99", `${before.toFixed(1)} ms, then ${after.toFixed(1)} ms`]],
    violations: settled && after > most.p99 * before ? ["the p99 grows"] : [],
  };
}

/** Returns the first and the last quarter of what was measured after the warm-up. */
function quartersOf<Value>(values: readonly Value[]) {
  const settled = values.slice(Math.floor(values.length * warmUp));
  const quarter = Math.ceil(settled.length / 4);
  return { first: settled.slice(0, quarter), last: settled.slice(-quarter) };
}

function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length * share)] ?? Number.NaN;
}

function readSample(pid: number): Sample {
  const [, kibibytes] = /^RssAnon:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  const descriptors = readdirSync(`/proc/${pid}/fd`);
  const connections = descriptors.filter((name) => isSocket(`/proc/${pid}/fd/${name}`)).length;
  return { pid, memory: Number(kibibytes) / 1024, descriptors: descriptors.length, connections };
}

function isSocket(path: string): boolean {
  try {
    return readlinkSync(path).startsWith("socket:");
  } catch {
    // The descriptor was closed in the meantime.
    return false;
  }
}
