import { createReadStream, createWriteStream } from "node:fs";
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { RecordedCall } from "./journal.ts";
import type { Stored } from "./stored.ts";

/** The format of a history, in its first line. A change that a reader could misunderstand raises the version. */
const format = { format: "platform-history", version: 1 } as const;

/** What the checks must know of a run. */
export interface VerifyOptions {
  /** Whether the clock of the app was set during the load. */
  readonly clockMoves: boolean;
  /** The number of successes that each kind of call must have had. */
  readonly minimum: number;
  /**
   * Until when acknowledged calls are lost, because the database went back to an earlier state. Calls from before, and what they have
   * changed, are not checked. 0: none are lost.
   */
  readonly losesUntil: number;
}

/** Everything that a run recorded: see README.md, "The history file". */
export interface History {
  /** Which run it was, for people. */
  readonly title: string;
  readonly options: VerifyOptions;
  readonly calls: readonly RecordedCall[];
  readonly stored: Stored;
}

/** Writes a history as JSON lines. */
export async function writeHistory(path: string, { title, options, calls, stored }: History): Promise<void> {
  const lines = function* () {
    yield { ...format, title, ...options };
    for (const { endedAt, ...call } of calls.toSorted((a, b) => a.begunAt - b.begunAt)) {
      yield { type: typeOf(call), ...call, ...(Number.isFinite(endedAt) && { endedAt }) };
    }
    for (const [table, rows] of Object.entries(stored)) for (const row of rows) yield { stored: table, row };
  };
  const text = Readable.from(lines()).map((line) => `${JSON.stringify(line)}\n`);
  await pipeline(text, createWriteStream(path, { flags: "wx" }));
}

/** Returns what became of a call, in the words of Jepsen: only `fail` is known to have had no effect. */
function typeOf({ result, refused }: Pick<RecordedCall, "result" | "refused">): "ok" | "fail" | "info" {
  if (refused !== undefined) return "fail";
  if (result === undefined) return "info";
  return result.ok ? "ok" : "fail";
}

/** Reads a history. @throws when the file is not one, or has another version. */
export async function readHistory(path: string): Promise<History> {
  const calls: RecordedCall[] = [];
  const stored: { -readonly [Table in keyof Stored]: Stored[Table][number][] } = {
    ...{
      vaults: [],
      changes: [],
      audit: [],
      seals: [],
      authorizations: [],
      grants: [],
      delegations: [],
      revocations: [],
    },
  };
  let header: (typeof format & { readonly title: string } & VerifyOptions) | undefined;
  for await (const text of createInterface({ input: createReadStream(path) })) {
    const line = JSON.parse(text);
    if (header === undefined) {
      if (line.format !== format.format || line.version !== format.version) {
        throw new Error(
          `${path} is not a history of version ${format.version}: its first line is ${text.slice(0, 100)}`,
        );
      }
      header = line;
    } else if ("stored" in line) {
      const table: keyof Stored = line.stored;
      stored[table].push(line.row);
    } else {
      const { type: _, ...call } = line;
      calls.push({ endedAt: Number.POSITIVE_INFINITY, ...call });
    }
  }
  if (header === undefined) throw new Error(`${path} is empty.`);
  const { title, clockMoves, minimum, losesUntil } = header;
  return { title, options: { clockMoves, minimum, losesUntil }, calls, stored };
}
