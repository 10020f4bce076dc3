import { randomUUID } from "node:crypto";
import type { ServerResponse } from "node:http";
import { create, toBinary } from "@bufbuild/protobuf";
import { base64Encode } from "@bufbuild/protobuf/wire";
import { type BrokerTokenError, isBrokerTokenError } from "@platform-rpc/broker";
import { isPlatformError, type PlatformError } from "@platform-rpc/client";
import { MemoryError, ProgramError, platformErrorOf } from "@platform-rpc/signed-in";
import { ErrorInfoSchema } from "@platform-rpc/types";

/** The status and the code of the Connect protocol of each reason that only the broker has. */
const reasons = {
  MALFORMED_TARGET: [400, "invalid_argument"],
  MALFORMED_REQUEST: [400, "invalid_argument"],
  BODY_TOO_LARGE: [413, "invalid_argument"],
  HOST_NOT_ALLOWED: [403, "permission_denied"],
  USE_NOT_APPROVED: [403, "permission_denied"],
  ITEM_NOT_FOUND: [404, "not_found"],
  ITEM_AMBIGUOUS: [409, "failed_precondition"],
  ITEM_NOT_USABLE: [409, "failed_precondition"],
  ALREADY_USED: [409, "aborted"],
  LOCKED: [423, "failed_precondition"],
  TOO_MANY_CALLS: [429, "resource_exhausted"],
  UPSTREAM_UNREACHABLE: [502, "unavailable"],
  UPSTREAM_FAILED: [502, "unavailable"],
  UPSTREAM_TIMEOUT: [504, "deadline_exceeded"],
  PLATFORM_UNREACHABLE: [503, "unavailable"],
  INTERNAL: [500, "internal"],
} as const;

const statusOfCode: Readonly<Record<string, number>> = {
  invalid_argument: 400,
  failed_precondition: 403,
  unauthenticated: 403,
  permission_denied: 403,
  not_found: 404,
  aborted: 409,
  resource_exhausted: 429,
};

export type BrokerReason = keyof typeof reasons;

/** A response of the broker itself. No part of it contains a secret, a token, or a part of a body. */
export interface RefusalInit {
  readonly status: number;
  readonly code: string;
  readonly reason: string;
  /** What happened and what to do, for the agent and its person. */
  readonly message: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Where the person can change it. */
  readonly page?: string | undefined;
}

/** Thrown when a request is not answered by its upstream. */
export class Refusal extends Error {
  override readonly name = "Refusal";

  constructor(readonly init: RefusalInit) {
    super(init.message);
  }
}

export function refusal(reason: BrokerReason, message: string, page?: string): Refusal {
  const [status, code] = reasons[reason];
  return new Refusal({ status, code, reason, message, page });
}

/** Returns the response to a request for whatever was thrown. The text of an unknown error may contain anything: it is left out. */
export function refusalOf(thrown: unknown): Refusal {
  if (thrown instanceof Refusal) return thrown;
  if (isBrokerTokenError(thrown)) return ofToken(thrown);
  const error = platformErrorOf(thrown);
  if (error !== undefined) return ofPlatform(error);
  // The files of this computer: neither a secret nor an input is in its message.
  if (thrown instanceof ProgramError && !(thrown instanceof MemoryError)) return refusal("INTERNAL", thrown.message);
  return refusal("INTERNAL", "The broker failed. Look at its output, and try again.");
}

function ofToken({ status, reason, message, headers }: BrokerTokenError): Refusal {
  const code = status === 401 ? "unauthenticated" : status === 403 ? "permission_denied" : "unavailable";
  return new Refusal({ status, code, reason, message, headers });
}

/** Returns the refusal of a call to the platform. Its 401 is about the login of the broker, and not about the agent's token. */
function ofPlatform(error: PlatformError): Refusal {
  const { code, reason, message } = error;
  if (reason === "UNAUTHENTICATED" || reason === "INSUFFICIENT_SCOPE") {
    const how = "platform login --scope vault.items:read vault.items:use";
    return refusal("LOCKED", `The login of the broker has ended or lacks a scope. Its person runs: ${how}`);
  }
  if (reason === undefined || statusOfCode[code] === undefined) {
    return refusal(
      "PLATFORM_UNREACHABLE",
      "The platform did not answer the broker. Nothing was sent. Try again later.",
    );
  }
  return new Refusal({ status: statusOfCode[code], code, reason, message, page: pageIn(error) });
}

/** Returns the page on which the person decides. */
function pageIn(error: PlatformError): string | undefined {
  if (isPlatformError(error, "DELEGATION_EXHAUSTED")) return error.detail.page;
  // The client knows no details of private operations. The message names the page, too.
  return `${error.reason}` === "USE_NOT_CONFIRMED" ? /https?:\/\/\S+/.exec(error.message)?.[0] : undefined;
}

/** Returns the Error body of the platform. */
function errorBody({ code, reason, message, page }: Omit<RefusalInit, "status">, requestId: string): string {
  const metadata = { requestId, ...(page && { page }) };
  const info = create(ErrorInfoSchema, { reason, domain: "platform.v1", metadata });
  const debug = { reason, domain: info.domain, metadata };
  const value = base64Encode(toBinary(ErrorInfoSchema, info), "std_raw");
  return JSON.stringify({ code, message, details: [{ type: ErrorInfoSchema.typeName, value, debug }] });
}

/**
 * What may go away by itself. Some SDKs, such as openai, repeat a response with 409 or 5xx at once, also to a request that may have been
 * carried out, unless its header `X-Should-Retry` is `false`.
 */
const passing = /^(?:TOO_MANY_CALLS|PLATFORM_UNREACHABLE|UPSTREAM_UNREACHABLE|RATE_LIMITED)$/;

/** No upstream can send it: the answer is the broker's. */
export const reasonHeader = "Platform-Reason";

/** Answers a request with a refusal. A response that has begun can only end. */
export function sendRefusal(response: ServerResponse, { init }: Refusal): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const requestId = randomUUID();
  response.writeHead(init.status, {
    ...init.headers,
    "Content-Type": "application/json",
    "Cache-Control": "no-store",
    "X-Request-Id": requestId,
    ...(!passing.test(init.reason) && { "X-Should-Retry": "false" }),
    [reasonHeader]: init.reason,
  });
  response.end(errorBody(init, requestId));
}
