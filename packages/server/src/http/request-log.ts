import { codeToString } from "@connectrpc/connect/protocol-connect";
import type { RpcError } from "../rpc/rpc-error.js";

/** What the listener writes its log with: a pino logger is one. A line whose method throws is lost. */
export interface Logger {
  /** For what went as the contract says, errors of callers included. */
  info(fields: object, message: string): void;
  /** For faults of the program. */
  error(fields: object, message: string): void;
}

/** What is known of a request when it has ended: the fields of its line in the log. */
export interface RequestEnd {
  readonly requestId: string;
  /** `<package>.<Service>/<Method>`; undefined for a document, and for a request that names no operation. */
  readonly operation: string | undefined;
  /** Undefined until the caller is admitted. */
  readonly tenantId: string | undefined;
  /** The HTTP status; 499 for a caller that went away. */
  readonly status: number;
  /** Connect's code as it is on the wire, or `ok`. */
  readonly code: string;
  readonly reason: string | undefined;
  readonly durationMs: number;
}

interface EndedRequest extends Omit<RequestEnd, "code" | "reason"> {
  readonly error: RpcError | undefined;
}

/** An error, with Node's name for its kind and SQLite's number for it. */
type CodedError = Error & { readonly code?: unknown; readonly errcode?: unknown };

/** The least time between two lines that say that connections cannot be accepted, in milliseconds. */
const notAcceptedEveryMs = 60_000;

/** Writes one line for each request. Only what is named here: never a header, query, code, token or body. */
export function createRequestLog(logger: Logger, onRequestEnd?: (end: RequestEnd) => void) {
  /** A line that cannot be written is lost: a call is answered whether or not it is logged. */
  const write = (level: keyof Logger, fields: object, message: string): void => {
    try {
      logger[level](fields, message);
    } catch {
      // There is no other place to report it.
    }
  };

  const ended = ({ requestId, operation, tenantId, status, error, durationMs }: EndedRequest): void => {
    const fields: RequestEnd = {
      requestId,
      operation,
      tenantId,
      status,
      code: error === undefined ? "ok" : codeToString(error.code),
      reason: error?.reason,
      durationMs: Math.round(durationMs * 1000) / 1000,
    };
    write(status >= 500 && error?.reason === "INTERNAL" ? "error" : "info", fields, "request");
    if (onRequestEnd !== undefined) notify(onRequestEnd, fields);
  };

  /** Logs where an unexpected error arose. Without its message, which may repeat input. */
  const failed = (requestId: string, thrown: unknown): void => {
    const error: CodedError = thrown instanceof Error ? thrown : new Error("a value that is no error was thrown");
    const frames = error.stack?.split("\n").filter((line) => line.startsWith("    at ")) ?? [];
    const { name, code, errcode } = error;
    write("error", { requestId, error: name, code, errcode, frames }, "unexpected error");
  };

  let notAcceptedAt = Number.NEGATIVE_INFINITY;

  /** Says that connections cannot be accepted: once, however many there are. */
  const notAccepted = (error: CodedError): void => {
    const now = performance.now();
    if (now - notAcceptedAt < notAcceptedEveryMs) return;
    notAcceptedAt = now;
    write("error", { error: error.name, code: error.code }, "connections cannot be accepted");
  };
  return { ended, failed, notAccepted };
}

/** Notifies a hook. One that throws, or returns a promise that rejects, is ignored. */
function notify(hook: (end: RequestEnd) => unknown, end: RequestEnd): void {
  try {
    const returned = hook(end);
    if (returned instanceof Promise) returned.catch(() => {});
  } catch {
    // A hook never decides what becomes of a call.
  }
}

export type RequestLog = ReturnType<typeof createRequestLog>;
