import { startTarget, type Target } from "../load/target.ts";
import { interleave } from "../measure/interleave.ts";
import { withDigits, withSpread } from "../report/format.ts";
import type { BenchResult, Effort } from "../report/result.ts";
import { type Candidate, requireLogLines, requireSameAnswers } from "./same-work.ts";
import { requestsFor, serverNames, servers } from "./servers.ts";

const efforts = {
  full: { warmUp: 30_000, rounds: 25, requests: 6_000 },
  short: { warmUp: 10_000, rounds: 15, requests: 2_000 },
} as const;
const connections = 64;

interface Started extends Candidate {
  readonly target: Target;
}

/** Runs `pnpm bench http`: compares our listener with its peers. */
export async function benchHttp(effort: Effort): Promise<BenchResult> {
  const { warmUp, rounds, requests } = efforts[effort];
  await using stack = new AsyncDisposableStack();
  const candidates: Started[] = [];
  for (const name of serverNames) {
    const target = await startTarget(new URL("./http-target.ts", import.meta.url), [name]);
    stack.defer(target.stop);
    candidates.push({ name, target, requests: requestsFor(target) });
  }
  await requireSameAnswers(candidates);

  for (const candidate of candidates) await measure(candidate, warmUp);
  const measured = await interleave(
    candidates.map((candidate) => [candidate.name, () => measure(candidate, requests)] as const),
    rounds,
  );
  requireLogLines(candidates, warmUp + rounds * requests);

  return {
    title: "A fixed response over HTTP",
    method: `DeleteItem with a response of 1.3 kB, over ${connections} connections. Each server gets ${withDigits(warmUp, 0)} requests to warm up, then ${withDigits(requests, 0)} in each of ${rounds} rounds.`,
    columns: ["server", "requests/s", "CPU µs per request"],
    rows: serverNames.map((name) => [
      servers[name].title,
      withSpread(measured.summary(name, "rate"), 0),
      withSpread(measured.summary(name, "cpu"), 1),
    ]),
    measured: [
      ["fixedRate", measured.ratio("rate", "listener", "bare")],
      ["fixedCpu", measured.ratio("cpu", "bare", "listener")],
      ["platformRate", measured.ratio("rate", "platform", "bare")],
      ["platformCpu", measured.ratio("cpu", "bare", "platform")],
      ["stockRate", measured.ratio("rate", "platform", "stockPlatform")],
      ["stockCpu", measured.ratio("cpu", "stockPlatform", "platform")],
      ["retryRate", measured.ratio("rate", "retry", "platform")],
      ["retryCpu", measured.ratio("cpu", "platform", "retry")],
    ],
    chart: {
      title: "CPU time per request with a fixed response, µs (less is better)",
      bars: serverNames.map((name) => ({ ...servers[name], value: measured.summary(name, "cpu") })),
    },
  };
}

function measure({ target, requests: prepared }: Started, requests: number) {
  let sent = 0;
  return target.measure({ connections, requests, next: () => prepared[sent++ % prepared.length] ?? Buffer.alloc(0) });
}
