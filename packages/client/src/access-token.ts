import type { Clock } from "./clock.js";
import { startDeadline } from "./deadline.js";
import { type Hooks, tell } from "./hooks.js";
import { isSecretToken, type SecretToken } from "./secret-token.js";

/** An access token, and when it ends. Without `expiresAt` it is used until the server rejects it. */
export interface AccessToken {
  readonly accessToken: string | SecretToken;
  /** A date, or one in the form that JSON has it in. */
  readonly expiresAt?: Date | string | undefined;
}

/** Why a token is asked for. */
export interface TokenRequest {
  /** Aborted when the provider has taken as long as a call may: the client's `timeoutMs`. */
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
  /** The token to use now. Rejects with what the provider threw, or with `TokenFault`. */
  get(): Promise<string>;
  /** Notes that the server rejects a token: the next one is another, if there is one. */
  reject(token: string): void;
}

/** Says what is wrong with what a provider gave, without repeating it. */
export class TokenFault extends TypeError {}

/** A token is renewed beside the calls this long before it ends, and calls wait for the new one from the second on. */
const renewBeforeMs = 120_000;
const waitBeforeMs = 30_000;

/** After a provider has failed it is left alone for so long, twice as long each time, up to the second. */
const firstBackOffMs = 1_000;
const longestBackOffMs = 30_000;

/** RFC 6750 section 2.1: nothing else can stand in an Authorization header. */
const bearerToken = /^[A-Za-z0-9\-._~+/]+=*$/;

/** What the tokens of a client depend on. */
export interface TokenSourceDeps {
  /** Milliseconds that a provider is given. */
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly hooks: readonly Hooks[];
}

/** @throws TypeError when a fixed token is no bearer token. The message does not repeat it. */
export function createTokenSource(token: string | SecretToken | TokenProvider, deps: TokenSourceDeps): TokenSource {
  if (typeof token === "function") return createProvidedTokens(token, deps);
  const fixed = checked(token);
  return { get: async () => fixed, reject: () => undefined };
}

/** The provider, asked once, for everyone who waits. */
interface Flight {
  readonly token: Promise<string>;
}

function createProvidedTokens(provider: TokenProvider, { timeoutMs, clock, hooks }: TokenSourceDeps): TokenSource {
  let held: { readonly token: string; readonly life: number; readonly endsAt: number } | undefined;
  let reason: TokenRequest["reason"] = "first";
  let flight: Flight | undefined;
  let failure: unknown;
  let backOffMs = 0;
  let restsUntil = 0;

  /** What the provider gives now is kept, unless it is not wanted any more when it comes. */
  async function ask(isWanted: () => boolean): Promise<string> {
    const { signal, race, end } = startDeadline(timeoutMs, undefined, clock);
    const asked = { signal, reason };
    const startedAt = clock.now();
    let ok = false;
    try {
      const { token, endsAt } = await race(async () => {
        // A provider that calls its own client waits for itself, and its time ends that: it must not be asked again.
        await undefined;
        return read(await provider(asked));
      });
      if (isWanted()) {
        held = { token, endsAt, life: endsAt - clock.now() };
        reason = "expired";
        backOffMs = 0;
      }
      ok = true;
      return token;
    } catch (thrown) {
      if (isWanted()) {
        failure = thrown;
        backOffMs = Math.min(backOffMs * 2 || firstBackOffMs, longestBackOffMs);
        restsUntil = clock.now() + backOffMs;
      }
      throw thrown;
    } finally {
      end();
      const durationMs = clock.now() - startedAt;
      tell(hooks, (one) => one.onTokenRefresh?.({ reason: asked.reason, ok, durationMs }));
    }
  }

  /** One flight, whatever the load. */
  async function fly(): Promise<string> {
    const rest = restsUntil - clock.now();
    // The clock may be set back: no rest is longer than it was meant to be.
    if (flight === undefined && rest > 0 && rest <= backOffMs) throw failure;
    flight ??= board();
    return await flight.token;
  }

  function board(): Flight {
    const boarded: Flight = { token: ask(() => flight === boarded) };
    const land = () => {
      if (flight === boarded) flight = undefined;
    };
    boarded.token.then(land, land);
    return boarded;
  }

  return {
    async get() {
      const left = held === undefined ? 0 : held.endsAt - clock.now();
      if (held === undefined || left <= Math.min(waitBeforeMs, held.life / 2)) {
        try {
          return await fly();
        } catch (thrown) {
          if (held !== undefined && clock.now() < held.endsAt) return held.token;
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
      // One that is under way may bring the same again.
      flight = undefined;
    },
  };
}

function read(given: ProvidedToken): { readonly token: string; readonly endsAt: number } {
  const { accessToken, expiresAt } =
    typeof given === "string" || isSecretToken(given)
      ? { accessToken: given, expiresAt: isSecretToken(given) ? given.expiresAt : undefined }
      : given;
  const endsAt = expiresAt ? new Date(expiresAt).getTime() : Number.POSITIVE_INFINITY;
  if (Number.isNaN(endsAt)) throw new TokenFault("the expiresAt of the token is no date");
  return { token: checked(accessToken), endsAt };
}

function checked(token: unknown): string {
  const text = isSecretToken(token) ? token.reveal() : token;
  if (typeof text === "string" && bearerToken.test(text)) return text;
  throw new TokenFault("the token is empty, or no bearer token (RFC 6750 section 2.1)");
}
