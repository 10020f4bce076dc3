import { codeToString } from "@connectrpc/connect/protocol-connect";
import type { RpcError } from "../services/rpc-error.js";

/**
 * The logger of a listener. A pino logger implements it. If a method throws, that log line is lost.
 *
 * @example
 * ```ts
 * import { createFetchHandler, type Logger } from "@platform-rpc/server";
 *
 * let lines = 0;
 * const logger: Logger = { info: () => void lines++, error: console.error };
 * await createFetchHandler(platform, { logger })(new Request("https://api.example/nowhere"));
 * console.log(lines);
 * // 1
 * ```
 */
export interface Logger {
  /** Called for expected events, including requests that end in an error of the contract. */
  info(fields: object, message: string): void;
  /** Called for unexpected errors, and for requests that end in INTERNAL. */
  error(fields: object, message: string): void;
}

/** What to log of an error that the program can correct, by name. */
const known: Readonly<Record<string, string>> = {
  BodyConsumedError: "the body was read before: mount the handler before express.json() and other body parsers",
};

/**
 * A request that has ended: the fields of its log line.
 *
 * @example
 * ```ts
 * import { createFetchHandler, type RequestEnd } from "@platform-rpc/server";
 *
 * const ends: RequestEnd[] = [];
 * const onRequestEnd = (end: RequestEnd) => void ends.push(end);
 * await createFetchHandler(platform, { logger, onRequestEnd })(new Request("https://api.example/nowhere"));
 * console.log(ends[0]?.status, ends[0]?.reason);
 * // 404 OPERATION_UNKNOWN
 * ```
 */
export interface RequestEnd {
  readonly requestId: string;
  /** `<package>.<Service>/<Method>`; undefined for a document or an unknown path. */
  readonly operation: string | undefined;
  /** Undefined if the caller was not admitted. */
  readonly tenantId: string | undefined;
  /** The HTTP status; 499 if the caller disconnected. */
  readonly status: number;
  /** The Connect code in its wire form, or `ok`. */
  readonly code: string;
  readonly reason: string | undefined;
  readonly durationMs: number;
  /** The id of the trace that the request belongs to. Undefined if its `traceparent` header is missing or invalid. */
  readonly traceId: string | undefined;
  /** Whether that trace is recorded. */
  readonly traceSampled: boolean | undefined;
}

interface EndedRequest extends Omit<RequestEnd, "code" | "reason" | "traceId" | "traceSampled"> {
  readonly error: RpcError | undefined;
  readonly trace: TraceParent | undefined;
}

export interface RequestLogOptions {
  readonly onRequestEnd?: ((end: RequestEnd) => void) | undefined;
  /** The part of the successful requests that is logged, from 0 to 1. Default: 1. */
  readonly logSuccesses?: number | undefined;
}

/** An error with a `code` from Node and an `errcode` from SQLite. */
type CodedError = Error & { readonly code?: unknown; readonly errcode?: unknown };

/** The minimum time between two log lines about connections that cannot be accepted, in milliseconds. */
const notAcceptedEveryMs = 60_000;

/** Creates the request log: one line for each request, without headers, queries, codes, tokens or bodies. */
export function createRequestLog(logger: Logger, { onRequestEnd, logSuccesses = 1 }: RequestLogOptions = {}) {
  /** Writes a line. If the logger throws, the line is lost: a call must not fail because of its log. */
  const write = (level: keyof Logger, fields: object, message: string): void => {
    try {
      logger[level](fields, message);
    } catch {
      // There is nowhere else to report it.
    }
  };

  /** Whether to log a successful request. Requests of one trace are all logged, or none of them is, in every process. */
  const selects = ({ traceId, requestId }: RequestEnd) =>
    logSuccesses >= 1 || shareOf(traceId ?? requestId) < logSuccesses;

  const ended = ({ requestId, operation, tenantId, status, error, durationMs, trace }: EndedRequest): RequestEnd => {
    const fields: RequestEnd = {
      requestId,
      operation,
      tenantId,
      status,
      code: error === undefined ? "ok" : codeToString(error.code),
      reason: error?.reason,
      durationMs: Math.round(durationMs * 1000) / 1000,
      traceId: trace?.traceId,
      traceSampled: trace?.sampled,
    };
    if (error !== undefined || status >= 400 || selects(fields))
      write(status >= 500 && error?.reason === "INTERNAL" ? "error" : "info", fields, "request");
    if (onRequestEnd !== undefined) notify(onRequestEnd, fields);
    return fields;
  };

  /** Logs the stack of an unexpected error, without its message, which may repeat input. */
  const failed = (requestId: string, thrown: unknown): void => {
    const error: CodedError = thrown instanceof Error ? thrown : new Error("a value that is not an Error was thrown");
    const frames = error.stack?.split("\n").filter((line) => line.startsWith("    at ")) ?? [];
    const { name, code, errcode } = error;
    write("error", { requestId, error: name, code, errcode, frames }, known[name] ?? "unexpected error");
  };

  let notAcceptedAt = Number.NEGATIVE_INFINITY;

  /** Logs that connections cannot be accepted, at most once per `notAcceptedEveryMs`. */
  const notAccepted = (error: CodedError): void => {
    const now = performance.now();
    if (now - notAcceptedAt < notAcceptedEveryMs) return;
    notAcceptedAt = now;
    write("error", { error: error.name, code: error.code }, "connections cannot be accepted");
  };
  return { ended, failed, notAccepted };
}

/** Returns a number from 0 to 1 that depends only on the id, and is evenly distributed over ids (FNV-1a). */
function shareOf(id: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < id.length; index += 1) hash = Math.imul(hash ^ id.charCodeAt(index), 0x01000193);
  // FNV-1a mixes its last characters only into the low bits.
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  return ((hash ^ (hash >>> 13)) >>> 0) / 2 ** 32;
}

/** Notifies a hook. One that throws, or returns a promise that rejects, is ignored. */
function notify(hook: (end: RequestEnd) => unknown, end: RequestEnd): void {
  try {
    const returned = hook(end);
    if (returned instanceof Promise) returned.catch(() => {});
  } catch {
    // A hook must not affect the call.
  }
}

export type RequestLog = ReturnType<typeof createRequestLog>;

/** The trace that a request belongs to. */
export interface TraceParent {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** Whether the caller records the trace. */
  readonly sampled: boolean;
}

// Version ff and ids of zeros are invalid. Versions after 00 may have more fields.
const pattern = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]([0-9a-f])(?:-.*)?$/;

/** Reads a traceparent header. Returns undefined if it is missing or invalid (W3C Trace Context section 3.2). */
export function readTraceParent(header: string | undefined): TraceParent | undefined {
  const found = header === undefined ? null : pattern.exec(header);
  if (found === null || (header?.startsWith("00") && header.length !== 55)) return undefined;
  const [, traceId = "", flags = ""] = found;
  return { traceId, sampled: Number.parseInt(flags, 16) % 2 === 1 };
}
