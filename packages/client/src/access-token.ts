import { type Clock, systemClock } from "./clock.js";
import { type Hooks, tell } from "./hooks.js";
import { isSecretToken, type SecretToken } from "./secret-token.js";

/** An access token, and when it ends. Without `expiresAt` it is used until the server rejects it. */
export interface AccessToken {
  readonly accessToken: string | SecretToken;
  readonly expiresAt?: Date;
}

/** Why a token is asked for. */
export interface TokenRequest {
  /** Aborted when no call waits for the token any more. */
  readonly signal: AbortSignal;
  /**
   * - `first`: the client has had none yet.
   * - `expired`: the last one has expired, or will within moments.
   * - `rejected`: the server does not accept the last one.
   */
  readonly reason: "first" | "expired" | "rejected";
}

/** What a token provider may give. */
export type ProvidedToken = string | SecretToken | AccessToken;

/** Gets access tokens. Called when one is needed; calls of the client that happen meanwhile share the answer. */
export type TokenProvider = (request: TokenRequest) => ProvidedToken | Promise<ProvidedToken>;

/** Tokens for calls. */
export interface TokenSource {
  /** The token to use now. Rejects with what the provider threw, or with `TypeError` when it gave no bearer token. */
  get(signal: AbortSignal): Promise<string>;
  /** Notes that the server rejects a token: the next one is another, if there is one. */
  reject(token: string): void;
}

/** A token is renewed beside the calls this long before it ends, and calls wait for the new one from the second on. */
const renewBeforeMs = 120_000;
const waitBeforeMs = 30_000;

/** After a provider has failed it is left alone for so long, twice as long each time, up to the second. */
const firstBackOffMs = 1_000;
const longestBackOffMs = 30_000;

/** RFC 6750 section 2.1: nothing else can stand in an Authorization header. */
const bearerToken = /^[A-Za-z0-9\-._~+/]+=*$/;

/** @throws TypeError when a fixed token is no bearer token. The message does not repeat it. */
export function createTokenSource(
  token: string | SecretToken | TokenProvider,
  clock: Clock = systemClock,
  hooks: Hooks = {},
): TokenSource {
  if (typeof token === "function") return createProvidedTokens(token, clock, hooks);
  const fixed = checked(token);
  return { get: async () => fixed, reject: () => undefined };
}

/** The provider, asked once, and those who wait for its answer. */
interface Flight {
  readonly token: Promise<string>;
  leave(): void;
  waiting: number;
}

function createProvidedTokens(provider: TokenProvider, { now }: Clock, hooks: Hooks): TokenSource {
  let held: { readonly token: string; readonly life: number; readonly endsAt: number } | undefined;
  let reason: TokenRequest["reason"] = "first";
  let flight: Flight | undefined;
  let failure: unknown;
  let backOffMs = 0;
  let restsUntil = 0;

  async function ask(signal: AbortSignal): Promise<string> {
    const asked = { signal, reason };
    const startedAt = now();
    let ok = false;
    try {
      const given = await provider(asked);
      const token = checked(typeof given === "object" && "accessToken" in given ? given.accessToken : given);
      const endsAt = (typeof given === "object" && given.expiresAt?.getTime()) || Number.POSITIVE_INFINITY;
      // Whoever abandoned this flight may have begun another: only one that is still wanted is kept.
      if (!signal.aborted) {
        held = { token, endsAt, life: endsAt - now() };
        reason = "expired";
        backOffMs = 0;
      }
      ok = true;
      return token;
    } catch (thrown) {
      if (!signal.aborted) {
        failure = thrown;
        backOffMs = Math.min(backOffMs * 2 || firstBackOffMs, longestBackOffMs);
        restsUntil = now() + backOffMs;
      }
      throw thrown;
    } finally {
      tell(hooks.onTokenRefresh, { reason: asked.reason, ok, durationMs: now() - startedAt });
    }
  }

  function board(): Flight {
    const controller = new AbortController();
    const end = () => {
      if (flight === started) flight = undefined;
      started.waiting = 0;
    };
    const started: Flight = {
      token: ask(controller.signal).finally(end),
      waiting: 0,
      leave() {
        started.waiting -= 1;
        if (started.waiting !== 0) return;
        end();
        controller.abort();
      },
    };
    return started;
  }

  /** Without a signal nobody waits, so nobody's leaving ends it. */
  async function fly(signal?: AbortSignal): Promise<string> {
    if (flight === undefined && now() < restsUntil) throw failure;
    flight ??= board();
    flight.waiting += 1;
    signal?.addEventListener("abort", flight.leave);
    return await flight.token;
  }

  return {
    async get(signal) {
      const left = held === undefined ? 0 : held.endsAt - now();
      if (held === undefined || left <= Math.min(waitBeforeMs, held.life / 2)) {
        try {
          return await fly(signal);
        } catch (thrown) {
          if (held !== undefined && now() < held.endsAt && !signal.aborted) return held.token;
          throw thrown;
        }
      }
      if (left <= Math.min(renewBeforeMs, held.life / 2)) fly().catch(() => undefined);
      return held.token;
    },
    reject(token) {
      if (held?.token !== token) return;
      held = undefined;
      reason = "rejected";
    },
  };
}

function checked(token: unknown): string {
  const text = isSecretToken(token) ? token.reveal() : token;
  if (typeof text === "string" && bearerToken.test(text)) return text;
  throw new TypeError("the token is not a bearer token (RFC 6750 section 2.1)");
}
