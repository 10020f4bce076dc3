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
  /**
   * Another token than one that the server rejected; undefined when there can be none, as the token is fixed. Rejects
   * as `get` does.
   */
  replace(rejected: string, signal: AbortSignal): Promise<string | undefined>;
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
  return { get: async () => fixed, replace: async () => undefined };
}

interface Flight {
  readonly token: Promise<string>;
  readonly controller: AbortController;
  waiting: number;
}

function createProvidedTokens(provider: TokenProvider, { now }: Clock, hooks: Hooks): TokenSource {
  let held:
    | { readonly token: string; readonly renewAt: number; readonly waitAt: number; readonly endsAt: number }
    | undefined;
  let reason: TokenRequest["reason"] = "first";
  let flight: Flight | undefined;
  let failed: { readonly thrown: unknown; readonly until: number; readonly backOffMs: number } | undefined;

  async function fetchToken(signal: AbortSignal): Promise<string> {
    const asked = { signal, reason };
    const startedAt = now();
    try {
      const { token, expiresAt } = read(await provider(asked));
      // Whoever abandoned this flight may have begun another: only one that is still wanted is kept.
      if (!signal.aborted) {
        const life = (expiresAt?.getTime() ?? Number.POSITIVE_INFINITY) - now();
        const keep = (beforeMs: number) => now() + Math.max(life - beforeMs, life / 2);
        held = { token, renewAt: keep(renewBeforeMs), waitAt: keep(waitBeforeMs), endsAt: now() + life };
        reason = "expired";
        failed = undefined;
      }
      tell(hooks.onTokenRefresh, { reason: asked.reason, ok: true, durationMs: now() - startedAt });
      return token;
    } catch (thrown) {
      if (!signal.aborted) {
        const backOffMs = Math.min((failed?.backOffMs ?? firstBackOffMs / 2) * 2, longestBackOffMs);
        failed = { thrown, backOffMs, until: now() + backOffMs };
      }
      tell(hooks.onTokenRefresh, { reason: asked.reason, ok: false, durationMs: now() - startedAt });
      throw thrown;
    }
  }

  function board(): Flight {
    const controller = new AbortController();
    const started = { controller, waiting: 0, token: fetchToken(controller.signal) };
    flight = started;
    const land = () => {
      if (flight === started) flight = undefined;
    };
    started.token.then(land, land);
    return started;
  }

  async function get(signal: AbortSignal): Promise<string> {
    const resting = failed !== undefined && now() < failed.until;
    if (held !== undefined && now() < held.waitAt) {
      // Nobody waits for this one, so nobody's leaving ends it.
      if (now() >= held.renewAt && !resting && flight === undefined) board().waiting = 1;
      return held.token;
    }
    const usable = held;
    try {
      if (resting && flight === undefined) throw failed?.thrown;
      return await fly(signal);
    } catch (thrown) {
      if (usable !== undefined && usable === held && now() < usable.endsAt && !signal.aborted) return usable.token;
      throw thrown;
    }
  }

  async function fly(signal: AbortSignal): Promise<string> {
    const boarded = flight ?? board();
    boarded.waiting += 1;
    const leave = () => {
      boarded.waiting -= 1;
      if (boarded.waiting > 0) return;
      if (flight === boarded) flight = undefined;
      boarded.controller.abort();
    };
    signal.addEventListener("abort", leave, { once: true });
    try {
      return await boarded.token;
    } finally {
      signal.removeEventListener("abort", leave);
    }
  }

  return {
    get,
    replace(rejected, signal) {
      if (held?.token === rejected) {
        held = undefined;
        reason = "rejected";
      }
      return get(signal);
    },
  };
}

function read(given: ProvidedToken): { readonly token: string; readonly expiresAt: Date | undefined } {
  if (typeof given === "string") return { token: checked(given), expiresAt: undefined };
  return { token: checked(isSecretToken(given) ? given : given.accessToken), expiresAt: given.expiresAt };
}

function checked(token: unknown): string {
  const text = isSecretToken(token) ? token.reveal() : token;
  if (typeof text === "string" && bearerToken.test(text)) return text;
  throw new TypeError("the token is not a bearer token (RFC 6750 section 2.1)");
}
