import type { Call } from "./call.js";
import { localError } from "./call-error.js";
import type { KeyedCallOptions } from "./call-options.js";
import type { Clock } from "./clock.js";
import type { Operation } from "./contract.js";
import { startDeadline } from "./deadline.js";
import { newId } from "./new-id.js";
import { firstRequestId, requestIdHeader } from "./request-id.js";

const idempotencyKeyHeader = "Idempotency-Key";

/** Whether a number can be the timeout of a call: timers can wait for no longer. */
export function isTimeout(timeoutMs: number): boolean {
  return Number.isInteger(timeoutMs) && timeoutMs > 0 && timeoutMs < 2 ** 31;
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
  { timeoutMs, signal, headers: given, idempotencyKey }: KeyedCallOptions,
  defaults: CallDefaults,
): { readonly call: Call; readonly headers: Headers } {
  const { clock, userAgent } = defaults;
  const headers = readHeaders(given);
  const givenKey = idempotencyKey ?? headers?.get(idempotencyKeyHeader) ?? undefined;
  const requestId = firstRequestId(newId(), headers?.get(requestIdHeader));
  const info = { operation, requestId };
  const known = { ...info, info, secrets: new Set<string>(), callerHasKey: givenKey !== undefined };
  const refuse = (field: string, description: string) =>
    localError("INVALID_FIELD", known, { violations: [{ field, description }] });

  if (!isTimeout(timeoutMs ?? defaults.timeoutMs)) throw localError("INVALID_TIMEOUT", known);
  if (headers === undefined) throw refuse("headers", "holds a name or value that no header can have");
  headers.set(requestIdHeader, requestId);
  if (userAgent !== undefined) headers.set("User-Agent", userAgent);
  if (operation.retrySafety === "WITH_KEY") {
    const key = givenKey ?? newId();
    if (!/^[!-~]{16,128}$/.test(key)) throw refuse(idempotencyKeyHeader, "must be 16 to 128 visible ASCII characters");
    headers.set(idempotencyKeyHeader, key);
    known.secrets.add(key);
  }
  return { headers, call: { ...known, deadline: startDeadline(timeoutMs ?? defaults.timeoutMs, signal, clock) } };
}

/** Undefined when they are no headers: the errors of `Headers` repeat what they were given. */
function readHeaders(init: HeadersInit | undefined): Headers | undefined {
  try {
    return new Headers(init);
  } catch {
    return undefined;
  }
}
