import type { TokenProvider, TokenRequest } from "./access-token.js";
import { readBearer } from "./bearer-token.js";
import type { Clock } from "./clock.js";
import { causeOf, type Failed, failure, isError, type Told } from "./failure.js";
import { type Hooks, tell } from "./hooks.js";
import type { SecretToken } from "./secret-token.js";
import { within } from "./within.js";

/** A token is renewed beside the calls this long before it ends, and calls wait for the new one from the second on. */
const renewBeforeMs = 120_000;
const waitBeforeMs = 30_000;

/** A provider that keeps failing is left alone for this long, then for twice as long each time. */
const shortestRestMs = 1_000;
const longestRestMs = 30_000;

/** Later than any date. */
const never = 9e15;

/** What a provider gave: it is looked at, not believed. */
interface Given {
  readonly accessToken?: unknown;
  readonly expiresAt: Date | string;
}

/** Tokens for calls: each is kept until shortly before it ends. */
export type TokenSource = readonly [
  /** The token to use now. Rejects with `TOKEN_UNAVAILABLE`. */
  get: (call: Failed) => Promise<string>,
  /** Notes that the server rejects a token: the next one is another, if there is one. */
  reject: (token: string) => void,
  /** Notes that the server accepts a token. */
  accept: () => void,
];

/** Reads it at once, so that who makes a client with a wrong one hears of it there. */
const fixed = (given: string | SecretToken): TokenProvider => {
  const token = readBearer(given);
  return () => token;
};

/** @throws RangeError when a fixed token is no bearer token. The message does not repeat it. */
export const createTokenSource = (
  given: string | SecretToken | TokenProvider,
  timeoutMs: number,
  clock: Clock,
  hooks: readonly Hooks[],
): TokenSource => {
  const provider = typeof given === "function" ? given : fixed(given);
  let token = "";
  let endsAt = 0;
  let life = 0;
  let reason: TokenRequest["reason"] = "first";
  let failed: Told | undefined;
  let flight: Promise<void> | undefined;
  let restMs = 0;
  let restedAt = 0;

  const left = () => endsAt - clock.now();
  const due = (beforeMs: number) => left() <= Math.min(beforeMs, life / 2);
  // Unsigned: a clock that is set back ends the rest.
  const rests = () => (clock.now() - restedAt) >>> 0 < restMs;
  const rest = () => {
    restMs = Math.min(restMs * 2 || shortestRestMs, longestRestMs);
    restedAt = clock.now();
  };

  /** Asks the provider once, for everyone who waits. */
  const ask = async (call: Failed): Promise<void> => {
    const asked = reason;
    try {
      const got = await within(call, timeoutMs, undefined, clock, async (signal) =>
        provider({ signal, reason: asked }),
      );
      const { accessToken = got, expiresAt }: Given = Object(got);
      token = readBearer(accessToken);
      endsAt = new Date(expiresAt).getTime();
      life = left();
      // It has ended when it comes, or nobody knows when it will: the server will say.
      if (!(life > 0)) life = endsAt = never;
      failed = undefined;
      reason = "expired";
    } catch (thrown) {
      rest();
      // The provider did not reach whom it asks, as `fetch` or another client says it, or took too long.
      const passing = thrown instanceof TypeError || isError(thrown);
      failed = { code: passing ? "unavailable" : "unauthenticated", retryAfterMs: restMs, ...causeOf(thrown) };
    }
    flight = undefined;
    tell(hooks, (one) => one.onTokenRefresh?.({ reason: asked, ok: !failed }));
  };

  return [
    async (call) => {
      if (due(renewBeforeMs) && !(failed && rests())) flight ??= ask(call);
      if (due(waitBeforeMs)) await flight;
      if (left() > 0) return token;
      throw failure(call, "TOKEN_UNAVAILABLE", "unknown", failed);
    },
    (rejected) => {
      // A server that rejects also what was asked for in its stead must not have the provider asked with every call.
      if (rejected !== token || rests()) return;
      rest();
      endsAt = 0;
      failed = undefined;
      reason = "rejected";
    },
    () => {
      if (!failed) restMs = 0;
    },
  ];
};
