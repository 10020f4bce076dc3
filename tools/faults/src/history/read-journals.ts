import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import type { JournalLine, RecordedRequest, RecordedResult } from "./journal.ts";

/** A call as a journal shows it. */
export interface RecordedCall {
  readonly request: RecordedRequest;
  readonly requestId: string;
  readonly begunAt: number;
  /** Infinity if the journal ends before the call. */
  readonly endedAt: number;
  readonly result: RecordedResult | undefined;
  /** Why the result is missing. */
  readonly lost: string | undefined;
  /** Why the call had no effect. */
  readonly refused: string | undefined;
}

/** Reads the calls of journals. A call without an end, and a last line that was cut off, belong to a process that was killed. */
export async function readJournals(paths: readonly string[]): Promise<RecordedCall[]> {
  const calls: RecordedCall[] = [];
  for (const path of paths) {
    const open = new Map<number, RecordedCall>();
    for await (const text of createInterface({ input: createReadStream(path) })) {
      const line = parse(text);
      if (line === undefined) continue;
      if ("request" in line) {
        const { request, requestId, at } = line;
        const unanswered = { endedAt: Number.POSITIVE_INFINITY, result: undefined, lost: "the client ended" };
        open.set(line.call, { request, requestId, begunAt: at, ...unanswered, refused: undefined });
        continue;
      }
      const begun = open.get(line.call);
      if (begun === undefined) throw new Error(`${path} contains the end of call ${line.call}, but not its begin`);
      open.delete(line.call);
      calls.push({
        ...begun,
        endedAt: line.at,
        result: "result" in line ? line.result : undefined,
        lost: "lost" in line ? line.lost : undefined,
        refused: "refused" in line ? line.refused : undefined,
      });
    }
    calls.push(...open.values());
  }
  return calls;
}

function parse(text: string): JournalLine | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
