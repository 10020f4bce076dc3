import { codeToString } from "@connectrpc/connect/protocol-connect";
import type { RpcError } from "../rpc/rpc-error.js";

/** What the listener writes its log with: a pino logger is one. */
export interface Logger {
  /** For what went as the contract says, errors of callers included. */
  info(fields: object, message: string): void;
  /** For faults of the program. */
  error(fields: object, message: string): void;
}

/** What is known of a request when it ends. */
export interface RequestEnd {
  readonly requestId: string;
  readonly operation: string | undefined;
  readonly tenantId: string | undefined;
  readonly status: number;
  readonly error: RpcError | undefined;
  readonly durationMs: number;
}

/** An error, with Node's name for its kind and SQLite's number for it. */
type CodedError = Error & { readonly code?: unknown; readonly errcode?: unknown };

/** The least time between two lines that say that connections cannot be accepted, in milliseconds. */
const notAcceptedEveryMs = 60_000;

/** Writes one line for each request. Only what is named here: never a header, query, code, token or body. */
export function createRequestLog(logger: Logger) {
  const ended = ({ requestId, operation, tenantId, status, error, durationMs }: RequestEnd): void => {
    const fields = {
      requestId,
      operation,
      tenantId,
      status,
      code: error === undefined ? "ok" : codeToString(error.code),
      reason: error?.reason,
      durationMs: Math.round(durationMs * 1000) / 1000,
    };
    if (status >= 500 && error?.reason === "INTERNAL") logger.error(fields, "request");
    else logger.info(fields, "request");
  };

  /** Says where an error arose that its caller is told nothing of. Its message is left out: it may repeat what it was given. */
  const failed = (requestId: string, thrown: unknown): void => {
    const error: CodedError = thrown instanceof Error ? thrown : new Error("a value that is no error was thrown");
    const frames = error.stack?.split("\n").filter((line) => line.startsWith("    at ")) ?? [];
    const { name, code, errcode } = error;
    logger.error({ requestId, error: name, code, errcode, frames }, "unexpected error");
  };

  let notAcceptedAt = Number.NEGATIVE_INFINITY;

  /** Says that connections cannot be accepted: once, however many there are. */
  const notAccepted = (error: CodedError): void => {
    const now = performance.now();
    if (now - notAcceptedAt < notAcceptedEveryMs) return;
    notAcceptedAt = now;
    logger.error({ error: error.name, code: error.code }, "connections cannot be accepted");
  };
  return { ended, failed, notAccepted };
}

export type RequestLog = ReturnType<typeof createRequestLog>;
