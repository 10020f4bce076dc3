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
  { timeoutMs: givenMs, signal, headers: given, idempotencyKey }: KeyedCallOptions,
  defaults: CallDefaults,
): { readonly call: Call; readonly headers: Headers } {
  const headers = readHeaders(given);
  const timeoutMs = givenMs ?? defaults.timeoutMs;
  const key = idempotencyKey ?? headers?.get(idempotencyKeyHeader);
  const info = { operation, requestId: firstRequestId(newId(), headers?.get(requestIdHeader)) };
  const secrets = new Set<string>();
  const known = { ...info, info, secrets, callerHasKey: typeof key === "string" };
  const refuse = (field: string, description: string) =>
    localError("INVALID_FIELD", known, { violations: [{ field, description }] });

  if (!isTimeout(timeoutMs)) throw localError("INVALID_TIMEOUT", known);
  if (headers === undefined) throw refuse("headers", "holds a name or value that no header can have");
  headers.set(requestIdHeader, info.requestId);
  if (defaults.userAgent !== undefined) headers.set("User-Agent", defaults.userAgent);
  if (typeof key === "string") secrets.add(key);
  if (operation.retrySafety === "WITH_KEY") {
    const sent = key ?? newId();
    if (!/^[!-~]{16,128}$/.test(sent)) throw refuse(idempotencyKeyHeader, "must be 16 to 128 visible ASCII characters");
    headers.set(idempotencyKeyHeader, sent);
    secrets.add(sent);
  }
  return { headers, call: { ...known, deadline: startDeadline(timeoutMs, signal, defaults.clock) } };
}

/** Undefined when they are no headers: the errors of `Headers` repeat what they were given. */
function readHeaders(init: KeyedCallOptions["headers"]): Headers | undefined {
  try {
    return new Headers(init);
  } catch {
    return undefined;
  }
}
