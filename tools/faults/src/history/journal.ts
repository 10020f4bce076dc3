import { closeSync, openSync, writeSync } from "node:fs";
import type { AuthorizationRequest, AuthorizationResult } from "../linear/authorization-model.ts";
import type { ItemRequest, ItemResult, ItemView } from "../linear/item-model.ts";

/** A call of the load, and the object that it concerns. */
export type RecordedRequest =
  | ({ readonly on: "item"; readonly vaultId: string; readonly itemId: string } & ItemRequest)
  /** The code is a hash: a journal contains no secret. */
  | ({ readonly on: "code"; readonly codeHash: string } & AuthorizationRequest)
  | { readonly on: "token"; readonly kind: "issue" }
  | { readonly on: "vault"; readonly vaultId: string; readonly kind: "list"; readonly after: number };

export type RecordedResult =
  | ItemResult
  | (AuthorizationResult & { readonly tokenIds?: readonly string[] })
  | {
      readonly ok: true;
      readonly head: number;
      readonly items: readonly ({ readonly itemId: string; readonly content: string } & ItemView)[];
    };

/** What became of a call. */
export type CallEnd =
  | { readonly result: RecordedResult }
  /** No response, or one that leaves open whether the call took effect. The reason is for people. */
  | { readonly lost: string }
  /** The call had no effect, because it was not sent, or was rejected before any data was read. */
  | { readonly refused: string };

/** A line of a journal: the begin or the end of a call. */
export type JournalLine =
  | { readonly call: number; readonly at: number; readonly request: RecordedRequest; readonly requestId: string }
  | ({ readonly call: number; readonly at: number } & CallEnd);

/** Records calls in a file, which survives the death of this process. */
export interface Journal {
  /** Makes a call. Writes a line before it begins and one after it ended, and returns its end. */
  record(request: RecordedRequest, requestId: string, make: () => Promise<CallEnd>): Promise<CallEnd>;
  close(): void;
}

/** Returns the microseconds of the machine's monotonic clock, which all processes share. */
export function now(): number {
  return Number(process.hrtime.bigint() / 1000n);
}

/** Opens a new file for a journal. */
export function openJournal(path: string): Journal {
  const file = openSync(path, "ax");
  let calls = 0;
  const write = (line: JournalLine) => writeSync(file, `${JSON.stringify(line)}\n`);
  return {
    async record(request, requestId, make) {
      calls += 1;
      const call = calls;
      write({ call, at: now(), request, requestId });
      const end = await make();
      write({ call, at: now(), ...end });
      return end;
    },
    close: () => closeSync(file),
  };
}
