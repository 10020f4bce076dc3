import { type Hooks, notify } from "../call/hooks.js";
import { withDeadline } from "../call/with-deadline.js";
import type { Clock } from "../clock.js";
import { type CallRef, createError, type ErrorInit, isError } from "../error/create-error.js";
import { describe } from "../error/error-cause.js";
import type { TokenProvider, TokenRequest } from "./access-token.js";
import { bearerTokenRule, readBearer } from "./bearer-token.js";

/** A token is renewed in the background this long before it expires, and calls wait for the new one from the second on. */
const renewBeforeMs = 120_000;
const waitBeforeMs = 30_000;

/** After a failure the provider is not called for this long, then for twice as long each time. */
const minBackOffMs = 1_000;
const maxBackOffMs = 30_000;

export interface TokenSourceOptions {
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly hooks: readonly Hooks[];
}

/** Access tokens for calls, each cached until shortly before it expires. */
export interface TokenSource {
  /** The token to use now. Rejects with `TOKEN_UNAVAILABLE`. */
  get(call: CallRef): Promise<string>;
  /** Notes that the server rejected a token, so that the next one is another. */
  reject(token: string): void;
  /** Notes that the server accepted the current token. */
  accept(): void;
}

/** The result of a token provider. */
interface ProviderResult {
  readonly text: string;
  readonly expiresAt: number;
  readonly lifetimeMs: number;
}

/** Creates the source of a client's tokens, which calls the provider when a token is needed. */
export function createTokenSource(
  provider: TokenProvider,
  { timeoutMs, clock, hooks }: TokenSourceOptions,
): TokenSource {
  let cached: ProviderResult | undefined;
  let reason: TokenRequest["reason"] = "first";
  let failed: ErrorInit | undefined;
  let refresh: Promise<void> | undefined;
  let backOffMs = 0;
  let backOffSince = 0;

  const remainingMs = () => (cached ? cached.expiresAt - clock.now() : 0);
  const expiresWithin = (ms: number) => remainingMs() <= Math.min(ms, (cached?.lifetimeMs ?? 0) / 2);
  const isBackingOff = () => {
    const elapsed = clock.now() - backOffSince;
    // A clock that is set back ends the back-off.
    return elapsed >= 0 && elapsed < backOffMs;
  };
  const backOff = () => {
    backOffMs = Math.min(backOffMs * 2 || minBackOffMs, maxBackOffMs);
    backOffSince = clock.now();
  };

  /** Calls the provider once for all calls that wait. */
  async function callProvider(call: CallRef): Promise<void> {
    const request = reason;
    try {
      const deadline = { call, clock, ms: timeoutMs, limit: "timeoutMs" };
      cached = readResult(await withDeadline(deadline, async (signal) => provider({ signal, reason: request })), clock);
      failed = undefined;
      reason = "expired";
    } catch (cause) {
      backOff();
      // A TypeError is what `fetch` throws when it reaches nobody; a PlatformError is a timeout, or of another client.
      const transient = cause instanceof TypeError || isError(cause);
      failed = {
        ...{ reason: "TOKEN_UNAVAILABLE", code: transient ? "unavailable" : "unauthenticated" },
        ...{ retryAfterMs: backOffMs, cause },
        text: `Not sent: the token provider failed (${describe(cause)}). See error.cause. It is called again after ${backOffMs} ms.`,
      };
    }
    refresh = undefined;
    notify(hooks, (one) => one.onTokenRefresh?.({ reason: request, ok: !failed }));
  }

  return {
    async get(call) {
      if (expiresWithin(renewBeforeMs) && !(failed && isBackingOff())) refresh ??= callProvider(call);
      if (expiresWithin(waitBeforeMs)) await refresh;
      if (cached && remainingMs() > 0) return cached.text;
      throw createError(call, failed ?? unavailable);
    },
    reject(token) {
      // If the replacement is rejected too, the provider is not called again for a while.
      if (token !== cached?.text || isBackingOff()) return;
      backOff();
      cached = undefined;
      failed = undefined;
      reason = "rejected";
    },
    accept() {
      if (!failed) backOffMs = 0;
    },
  };
}

/** The token expired, or was rejected, while the call waited for it. */
const unavailable: ErrorInit = {
  reason: "TOKEN_UNAVAILABLE",
  code: "unauthenticated",
  text: "Not sent: the token expired meanwhile.",
};

/** A provider returned something that is not a bearer token. */
class InvalidTokenError extends Error {
  override readonly name = "InvalidTokenError";
}

/** @throws InvalidTokenError, whose message does not repeat the result. */
function readResult(result: unknown, clock: Clock): ProviderResult {
  const { accessToken = result, expiresAt }: { readonly accessToken?: unknown; readonly expiresAt: Date | string } =
    Object(result);
  const text = readBearer(accessToken);
  if (text === undefined) throw new InvalidTokenError(`The token ${bearerTokenRule}.`);
  const expiry = new Date(expiresAt).getTime();
  const lifetimeMs = expiry - clock.now();
  // No expiry, or one in the past because clocks differ: used until the server rejects it.
  if (!(lifetimeMs > 0)) return { text, expiresAt: Number.POSITIVE_INFINITY, lifetimeMs: Number.POSITIVE_INFINITY };
  return { text, expiresAt: expiry, lifetimeMs };
}
