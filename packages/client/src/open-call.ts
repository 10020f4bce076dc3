import type { Call } from "./call.js";
import { localError } from "./call-error.js";
import type { KeyedCallOptions } from "./call-options.js";
import type { Clock } from "./clock.js";
import type { Operation } from "./contract.js";
import { startDeadline } from "./deadline.js";
import { newId } from "./new-id.js";
import { firstRequestId, requestIdHeader } from "./request-id.js";
import { takesIdempotencyKey } from "./retry-safety.js";
import { createSecrets } from "./secrets.js";

const idempotencyKeyHeader = "Idempotency-Key";
const idempotencyKeyPattern = /^[\x21-\x7e]{16,128}$/;

/** The longest time that timers can wait for, in milliseconds. */
const longestTimeoutMs = 2_147_483_647;

/** Whether a number can be the timeout of a call. */
export function isTimeout(timeoutMs: number): boolean {
  return Number.isInteger(timeoutMs) && timeoutMs >= 1 && timeoutMs <= longestTimeoutMs;
}

/** What a client gives each of its calls. */
export interface CallDefaults {
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly userAgent: string | undefined;
}

/** Begins a call: its clock runs from here. @throws PlatformError when an option is not acceptable. */
export function openCall(
  operation: Operation,
  options: KeyedCallOptions,
  { timeoutMs: defaultTimeoutMs, clock, userAgent }: CallDefaults,
): { readonly call: Call; readonly headers: Headers } {
  const { timeoutMs = defaultTimeoutMs, signal } = options;
  const headers = readHeaders(options.headers);
  const key = options.idempotencyKey ?? headers?.get(idempotencyKeyHeader) ?? undefined;
  const secrets = createSecrets();
  const requestId = firstRequestId(newId(), headers?.get(requestIdHeader));
  const known = { operation, requestId, secrets, callerHasKey: key !== undefined };

  if (!isTimeout(timeoutMs)) throw localError("INVALID_TIMEOUT", known);
  if (headers === undefined) {
    const violations = [{ field: "headers", description: "holds a name or value that no header can have" }];
    throw localError("INVALID_FIELD", known, { violations });
  }
  if (key !== undefined && !idempotencyKeyPattern.test(key)) {
    const violations = [{ field: idempotencyKeyHeader, description: "must be 16 to 128 visible ASCII characters" }];
    throw localError("INVALID_FIELD", known, { violations });
  }

  headers.set(requestIdHeader, requestId);
  if (userAgent !== undefined) headers.set("User-Agent", userAgent);
  if (takesIdempotencyKey(operation)) {
    const keyToSend = key ?? newId();
    headers.set(idempotencyKeyHeader, keyToSend);
    secrets.add(keyToSend);
  }
  return { headers, call: { ...known, deadline: startDeadline(timeoutMs, signal, clock) } };
}

/** Undefined when they are no headers: the errors of `Headers` repeat what they were given. */
function readHeaders(init: HeadersInit | undefined): Headers | undefined {
  try {
    return new Headers(init);
  } catch {
    return undefined;
  }
}
