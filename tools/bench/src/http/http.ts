import { isDeepStrictEqual } from "node:util";
import { type Answered, requestOnce } from "../load/connection.ts";
import { interleave } from "../load/rounds.ts";
import { startTarget, type Target } from "../load/target.ts";
import { type BenchResult, type Effort, withDigits, withSpread } from "../report/format.ts";
import { requestsFor, type ServerName, serverNames, servers } from "./servers.ts";

const efforts = {
  full: { warmUp: 30_000, rounds: 25, requests: 6_000 },
  short: { warmUp: 10_000, rounds: 15, requests: 2_000 },
} as const;
const connections = 64;

interface Candidate {
  readonly name: ServerName;
  readonly target: Target;
  readonly requests: readonly Buffer[];
}

export async function benchHttp(effort: Effort): Promise<BenchResult> {
  const { warmUp, rounds, requests } = efforts[effort];
  await using stack = new AsyncDisposableStack();
  const candidates: Candidate[] = [];
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

function measure({ target, requests: prepared }: Candidate, requests: number) {
  let sent = 0;
  return target.measure({ connections, requests, next: () => prepared[sent++ % prepared.length] ?? Buffer.alloc(0) });
}

/** The fields that differ in every real deletion: its time, and its position in the vault's history. */
const ofDeletion = ["body.item.updatedAt", "body.cursor.sequence"];

/** Checks that all servers answer with the same status, media type and JSON. @throws Error that names the difference. */
async function requireSameAnswers(candidates: readonly Candidate[]): Promise<void> {
  for (const at of [0, 1]) {
    let first: Answered | undefined;
    for (const { name, target, requests } of candidates) {
      const answered = await requestOnce(target.port, requests[at] ?? Buffer.alloc(0));
      first ??= answered;
      const different = differences(first, answered, name === "retry" ? ofDeletion : []);
      if (different.length === 0 && answered.status === 200) continue;
      const where = different.length === 0 ? "with an error" : `differently in ${different.join(", ")}`;
      throw new Error(`"${servers[name].title}" answers ${where}, so its speed cannot be compared.`);
    }
  }
}

/** Checks that each server that should log has logged each of `requests` requests. @throws Error */
function requireLogLines(candidates: readonly Candidate[], requests: number): void {
  for (const { name, target } of candidates) {
    const { logs, title } = servers[name];
    const lines = target.loggedLines();
    if (logs ? lines < requests : lines > 0)
      throw new Error(`"${title}" has logged ${lines} lines for ${requests} requests: the servers do different work.`);
  }
}

/** Returns the paths at which responses differ, such as `body.item.version`. Those in `ignored` may differ, but must be in both. */
function differences(expected: unknown, actual: unknown, ignored: readonly string[] = [], path = ""): string[] {
  if (ignored.includes(path) && expected !== undefined && actual !== undefined) return [];
  if (!isRecord(expected) || !isRecord(actual)) return isDeepStrictEqual(expected, actual) ? [] : [path];
  const keys = new Set([...Object.keys(expected), ...Object.keys(actual)]);
  return [...keys].flatMap((key) =>
    differences(expected[key], actual[key], ignored, path === "" ? key : `${path}.${key}`),
  );
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}
