import { closeSync, createReadStream, openSync, writeSync } from "node:fs";
import { createInterface } from "node:readline";
import type {
  AuthorizationRequest,
  AuthorizationResult,
  FamilyRequest,
  FamilyResult,
  ItemRequest,
  ItemResult,
  ItemView,
} from "@platform-rpc/server/testing";

type ListedItem = { readonly itemId: string; readonly content: string } & ItemView;

export interface ListResult {
  readonly ok: true;
  /** The position of the last change listed, or the head of the vault. */
  readonly cursor: number;
  readonly more: boolean;
  readonly items: readonly ListedItem[];
}

/** A call on one account: the last step of its sign-up, which may be repeated, or a sign-in. */
export interface AccountRequest {
  readonly kind: "create" | "sign-in";
}

export type AccountResult = { readonly ok: true } | { readonly ok: false; readonly reason: string };

interface Objects {
  readonly item: {
    /** `delegation` is the hash of the device code of the delegation with which the call was made. */
    request: { readonly vaultId: string; readonly itemId: string; readonly delegation?: string } & ItemRequest;
    /** `body` is a digest of the whole response: a retry of a change has the same. The budget is that of DELEGATION_EXHAUSTED. */
    result: ItemResult & { readonly body?: string; readonly allowed?: number; readonly used?: number };
  };
  readonly vault: {
    request: { readonly vaultId: string; readonly kind: "list"; readonly after: number };
    result: ListResult | { readonly ok: false; readonly reason: string };
  };
  /** A device authorization. The code is a hash: a journal contains no secret. */
  readonly code: {
    request: { readonly codeHash: string } & AuthorizationRequest;
    result: AuthorizationResult & { readonly tokenIds?: readonly string[] };
  };
  /** A token that an administrator issues. Only successful calls are recorded. */
  readonly token: { request: { readonly kind: "issue" }; result: { readonly ok: true; readonly tokenId: string } };
  /** An OAuth sign-in with its refresh tokens. */
  readonly session: { request: { readonly sessionId: string } & FamilyRequest; result: FamilyResult };
  readonly account: { request: { readonly accountId: string } & AccountRequest; result: AccountResult };
}

type ObjectKind = keyof Objects;

type RequestOn<On extends ObjectKind> = { readonly on: On } & Objects[On]["request"];

export type RecordedRequest = { [On in ObjectKind]: RequestOn<On> }[ObjectKind];
export type RecordedResult = Objects[ObjectKind]["result"];

export type RecordedCall = {
  [On in ObjectKind]: {
    readonly request: RequestOn<On>;
    readonly requestId: string;
    /** In microseconds of the machine's monotonic clock, as `endedAt`. */
    readonly begunAt: number;
    /** Infinity if the journal ends before the call. */
    readonly endedAt: number;
    readonly result: Objects[On]["result"] | undefined;
    /** Why the result is missing. */
    readonly lost: string | undefined;
    /** Why the call had no effect. */
    readonly refused: string | undefined;
  };
}[ObjectKind];

export type CallOn<On extends ObjectKind> = Extract<RecordedCall, { readonly request: { readonly on: On } }>;

export function callsOn<On extends ObjectKind>(calls: readonly RecordedCall[], on: On): CallOn<On>[] {
  return calls.filter((call): call is CallOn<On> => call.request.on === on && call.refused === undefined);
}

export type CallEnd =
  | { readonly result: RecordedResult }
  /** No response, or one that leaves open whether the call took effect. The reason is for people. */
  | { readonly lost: string }
  /** The call had no effect, because it was not sent, or was rejected before any data was read. */
  | { readonly refused: string };

type JournalLine =
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
