import type { Fetch, FetchInit, FetchResponse } from "@platform-rpc/client";

/** An HTTP call of this page, as it was on the wire, without its token. */
export interface RecordedCall {
  readonly id: number;
  readonly url: string;
  /** The name in the contract: `platform.v1.VaultService/DeleteItem`. */
  readonly operation: string;
  /** In milliseconds since 1970. */
  readonly startedAt: number;
  readonly requestId: string;
  /** The body of the request. */
  readonly request: string;
  /** Undefined while the call runs. */
  readonly end: CallEnd | undefined;
}

/** How a call ended. */
interface CallEnd {
  readonly durationMs: number;
  /** Undefined if no response arrived. */
  readonly status: number | undefined;
  /** The reason of an error, or why no response arrived. */
  readonly reason: string | undefined;
  /** The body of the response. Undefined if none arrived, or if it was dropped to save memory. */
  readonly response: string | undefined;
}

/** Records calls, in memory only. */
export interface CallRecorder {
  readonly fetch: Fetch;
  /** The recorded calls, newest first. */
  readonly calls: () => readonly RecordedCall[];
  readonly subscribe: (listener: () => void) => () => void;
  readonly clear: () => void;
}

/** How many calls are kept. */
const mostCalls = 200;

/** How many characters of responses are kept, those of the newest calls. */
const mostCharacters = 4_000_000;

/** Creates a recorder around a `fetch`. It never keeps a header but the request id: the token is one. */
export function createCallRecorder(send: Fetch, now: () => number = Date.now): CallRecorder {
  let calls: readonly RecordedCall[] = [];
  let last = 0;
  const listeners = new Set<() => void>();
  const set = (changed: readonly RecordedCall[]) => {
    calls = keepNewest(changed);
    for (const listener of listeners) listener();
  };
  const start = (url: string, { body, headers }: FetchInit): RecordedCall => {
    last += 1;
    const operation = url.split("/").slice(-2).join("/");
    const requestId = headers["x-request-id"] ?? "";
    return { id: last, url, operation, startedAt: now(), requestId, request: body, end: undefined };
  };
  const end = (call: RecordedCall, ended: Omit<CallEnd, "durationMs">) => {
    const durationMs = now() - call.startedAt;
    set(calls.map((one) => (one.id === call.id ? { ...call, end: { durationMs, ...ended } } : one)));
  };
  /** Waits for the body, which the client reads itself. */
  const record = async (call: RecordedCall, { status, headers, text }: TextResponse) => {
    const requestId = headers.get("X-Request-Id") ?? call.requestId;
    try {
      const response = await text;
      end({ ...call, requestId }, { status, reason: status === 200 ? undefined : reasonIn(response), response });
    } catch {
      end({ ...call, requestId }, { status, reason: "the response is incomplete", response: undefined });
    }
  };
  return {
    async fetch(url, init) {
      const call = start(url, init);
      set([call, ...calls]);
      try {
        const response = await send(url, init);
        const { status, headers } = response;
        void record(call, { status, headers, text: textOf(response) });
        return response;
      } catch (error) {
        end(call, { status: undefined, reason: init.signal.aborted ? "canceled" : "no response", response: undefined });
        throw error;
      }
    },
    calls: () => calls,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    clear: () => set([]),
  };
}

interface TextResponse extends Pick<FetchResponse, "status" | "headers"> {
  readonly text: Promise<string>;
}

/** Reads the body of a response that somebody else reads, too. */
function textOf(response: FetchResponse): Promise<string> {
  return response instanceof Response ? response.clone().text() : Promise.resolve("");
}

/** Drops the oldest calls, and the responses of old calls if there is too much text. */
function keepNewest(calls: readonly RecordedCall[]): readonly RecordedCall[] {
  let characters = 0;
  return calls.slice(0, mostCalls).map((call) => {
    characters += call.end?.response?.length ?? 0;
    if (call.end === undefined || characters <= mostCharacters) return call;
    return { ...call, end: { ...call.end, response: undefined } };
  });
}

/** Returns the reason in an error body of the platform. Undefined if the body is another. */
function reasonIn(body: string): string | undefined {
  try {
    const { details }: { readonly details?: unknown } = Object(JSON.parse(body));
    for (const detail of Array.isArray(details) ? details : []) {
      const { type, debug }: { readonly type?: unknown; readonly debug?: unknown } = Object(detail);
      const { reason }: { readonly reason?: unknown } = Object(debug);
      if (type === "google.rpc.ErrorInfo" && typeof reason === "string") return reason;
    }
  } catch {
    // A proxy's page.
  }
  return undefined;
}
