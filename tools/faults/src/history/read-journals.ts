import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import type { JournalLine, RecordedCall } from "./journal.ts";

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
        open.set(line.call, callOf({ request, requestId, begunAt: at }, { lost: "the client ended" }));
        continue;
      }
      const begun = open.get(line.call);
      if (begun === undefined) throw new Error(`${path} contains the end of call ${line.call}, but not its begin`);
      open.delete(line.call);
      calls.push(callOf(begun, line, line.at));
    }
    calls.push(...open.values());
  }
  return calls;
}

type Begin = Pick<RecordedCall, "request" | "requestId" | "begunAt">;

/** Returns a call with its end. Only its client knows which results a request has: the type of a line does not say it. */
function callOf({ request, requestId, begunAt }: Begin, end: object, endedAt = Number.POSITIVE_INFINITY): RecordedCall {
  const unset = { result: undefined, lost: undefined, refused: undefined };
  const { result, lost, refused } = { ...unset, ...end };
  return { request, requestId, begunAt, endedAt, result, lost, refused } as RecordedCall;
}

function parse(text: string): JournalLine | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
