import { isDeepStrictEqual } from "node:util";
import { type Answered, requestOnce } from "../load/connection.ts";
import type { Target } from "../load/target.ts";
import { type ServerName, servers } from "./servers.ts";

/** A started server, and requests that it accepts. */
export interface Candidate {
  readonly name: ServerName;
  readonly target: Pick<Target, "port" | "loggedLines">;
  readonly requests: readonly Buffer[];
}

/** The fields that differ in every real deletion: its time, and its position in the vault's history. */
const ofDeletion = ["body.item.updatedAt", "body.cursor.sequence"];

/** Checks that all servers answer with the same status, media type and JSON. @throws Error that names the difference. */
export async function requireSameAnswers(candidates: readonly Candidate[]): Promise<void> {
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
export function requireLogLines(candidates: readonly Candidate[], requests: number): void {
  for (const { name, target } of candidates) {
    const { logs, title } = servers[name];
    const lines = target.loggedLines();
    if (logs ? lines < requests : lines > 0)
      throw new Error(`"${title}" has logged ${lines} lines for ${requests} requests: the servers do different work.`);
  }
}

/**
 * Returns where a response differs from another, as paths such as `body.item.version`. Paths in `ignored` may differ, but must
 * be present in both.
 */
export function differences(expected: unknown, actual: unknown, ignored: readonly string[] = [], path = ""): string[] {
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
