import { type CallRef, createError, describe, isError, isTransient } from "../error/create-error.js";
import { bearerProblem, readBearer } from "../options/bearer-token.js";
import type { Clock } from "../options/clock.js";
import type { Notify } from "../options/hooks.js";
import type { TokenProvider, TokenRequest } from "../options/token.js";
import { withDeadline } from "./step.js";

/** Tokens are renewed in the background from `renewBeforeMs` before they expire, and calls wait for it from `waitBeforeMs` before. */
const renewBeforeMs = 120_000;
const waitBeforeMs = 30_000;

/** After a failure, the provider is not called for `minBackOffMs`. Each further failure doubles the time. */
const minBackOffMs = 1_000;
const maxBackOffMs = 30_000;

/** 1973, in milliseconds. In seconds, it is the year 5138. */
const earliestExpiry = 1e11;

export interface TokenSourceOptions {
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly notify: Notify;
}

/** The source of access tokens. Each token is cached until shortly before it expires. */
export interface TokenSource {
  /** Returns the token to use now. Rejects with `TOKEN_UNAVAILABLE`. */
  get(call: CallRef): Promise<string>;
  /** Records that the server rejected a token, so that it is replaced. */
  reject(token: string): void;
  /** Records that the server accepted the current token. */
  accept(): void;
}

interface CachedToken {
  readonly text: string;
  readonly receivedAt: number;
  readonly expiresAt: number;
}

interface Failure {
  readonly cause: unknown;
}

export function createTokenSource(
  provider: TokenProvider,
  { timeoutMs, clock, notify }: TokenSourceOptions,
): TokenSource {
  let cached: CachedToken | undefined;
  let reason: TokenRequest["reason"] = "first";
  let failure: Failure | undefined;
  let refresh: Promise<void> | undefined;
  let backOffMs = 0;
  let backOffSince = 0;

  const expiresWithin = (ms: number) =>
    !cached || cached.expiresAt - clock.now() <= Math.min(ms, (cached.expiresAt - cached.receivedAt) / 2);
  // A clock that is set back ends the back-off.
  const isBackingOff = () => Math.abs(clock.now() - backOffSince) < backOffMs;
  const backOff = () => {
    backOffMs = Math.min(backOffMs * 2 || minBackOffMs, maxBackOffMs);
    backOffSince = clock.now();
  };

  /** Calls the provider once for all calls that wait. */
  async function callProvider({ info }: CallRef): Promise<void> {
    const request = reason;
    try {
      const deadline = { call: { info, sent: false }, clock, ms: timeoutMs };
      cached = readToken(
        await withDeadline(deadline, async (signal) => provider({ signal, reason: request })),
        clock.now(),
      );
      failure = undefined;
      reason = "expired";
    } catch (cause) {
      backOff();
      failure = { cause };
    }
    refresh = undefined;
    notify("onTokenRefresh", { reason: request, ok: !failure });
  }

  return {
    async get(call) {
      if (expiresWithin(renewBeforeMs) && !(failure && isBackingOff())) refresh ??= callProvider(call);
      if (expiresWithin(waitBeforeMs)) await refresh;
      if (cached && !expiresWithin(0)) return cached.text;
      const { cause } = failure ?? {};
      // `fetch` throws a TypeError when it gets no response. A PlatformError is a timeout, or comes from a session or another client.
      const mayRecover = cause instanceof TypeError || (isError(cause) && isTransient(cause));
      const code = mayRecover ? "unavailable" : "unauthenticated";
      // Without a failure, the token expired or was rejected while the call waited for it.
      const why = !failure ? "expired" : saidBy(cause);
      const text = `Not sent: no valid token (${why}). Check the token provider and error.cause.`;
      throw createError(call, "TOKEN_UNAVAILABLE", code, text, failure && { cause, retryAfterMs: backOffMs });
    },
    reject(token) {
      // If the replacement is rejected too, the provider is not called again for a while.
      if (token !== cached?.text || isBackingOff()) return;
      backOff();
      cached = undefined;
      failure = undefined;
      reason = "rejected";
    },
    accept() {
      if (!failure) backOffMs = 0;
    },
  };
}

/** Thrown when a provider returns something else than a token. Its message does not repeat the result. */
class ProvidedTokenError extends RangeError {}

/** Returns why there is no token, for messages. The message of an error that the provider created may contain secrets. */
function saidBy(cause: unknown): string {
  if (cause instanceof ProvidedTokenError) return cause.message;
  return isError(cause) ? cause.message.replace(/\.? Request .*/s, "") : describe(cause);
}

/** @throws ProvidedTokenError */
function readToken(result: unknown, receivedAt: number): CachedToken {
  const {
    accessToken = result,
    expiresAt,
  }: { readonly accessToken?: unknown; readonly expiresAt?: Date | string | null } = Object(result);
  const text = readBearer(accessToken);
  const form = typeof accessToken === "object" ? ". Return { accessToken, expiresAt }" : "";
  if (text === undefined) throw new ProvidedTokenError(`the result ${bearerProblem(accessToken)}${form}`);
  const expiry = expiresAt ? new Date(expiresAt).getTime() : Infinity;
  // Seconds since the epoch would be a day in 1970, and the text of a number is not a date.
  if (!(expiry > earliestExpiry))
    throw new ProvidedTokenError("expiresAt must be a Date or an ISO 8601 string, not seconds");
  // One in the past because clocks differ: used until the server rejects it.
  return { text, receivedAt, expiresAt: expiry > receivedAt ? expiry : Infinity };
}
