import { createBackOff } from "./back-off.js";
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
  /**
   * Aborted when the provider has taken as long as a call may, the client's `timeoutMs`; or half of the time that the last
   * token still has, where that is less.
   */
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
  /** Notes that the server accepts a token. */
  accept(token: string): void;
  /** Notes that the server rejects a token: the next one is another, if there is one. */
  reject(token: string): void;
}

/** Says what is wrong with what a provider gave, without repeating it. */
export class TokenFault extends TypeError {
  /** Whether another try may bring a token. */
  readonly passing: boolean;

  constructor(message: string, passing = false) {
    super(message);
    this.passing = passing;
  }
}

/** A token is renewed beside the calls this long before it ends, and calls wait for the new one from the second on. */
const renewBeforeMs = 120_000;
const waitBeforeMs = 30_000;

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
  return { get: async () => fixed, accept: () => undefined, reject: () => undefined };
}

/** The provider, asked once, for everyone who waits. */
interface Flight {
  readonly reason: TokenRequest["reason"];
  readonly token: Promise<string>;
}

interface Held {
  readonly token: string;
  /** Milliseconds from when it came to when it ends. */
  readonly life: number;
  readonly endsAt: number;
  /** It was asked for because the server rejected another, and has not been accepted yet. */
  readonly untried: boolean;
}

function createProvidedTokens(provider: TokenProvider, { timeoutMs, clock, hooks }: TokenSourceDeps): TokenSource {
  const failures = createBackOff(clock);
  const rejections = createBackOff(clock);
  let held: Held | undefined;
  let rejected: string | undefined;
  let reason: TokenRequest["reason"] = "first";
  let flight: Flight | undefined;
  let failure: unknown;
  let turns = 0;

  function keep({ token, endsAt }: ReturnType<typeof read>, asked: TokenRequest["reason"]): void {
    // It was asked for before the server rejected what it is.
    if (token === rejected && asked !== "rejected") return;
    const life = endsAt - clock.now();
    // Where it has ended when it comes the clock may be wrong: the server will say.
    const end = life > 0 ? { life, endsAt } : { life: Number.POSITIVE_INFINITY, endsAt: Number.POSITIVE_INFINITY };
    held = { token, ...end, untried: asked === "rejected" };
    reason = "expired";
    failures.end();
  }

  async function ask(asked: TokenRequest["reason"], forMs: number): Promise<string> {
    const { signal, race, end } = startDeadline(forMs, undefined, clock);
    const startedAt = clock.now();
    turns += 1;
    const turn = turns;
    let ok = false;
    try {
      const token = await race(async () => {
        // A provider that calls its own client waits for itself, and its time ends that: it must not be asked again.
        await undefined;
        const given = read(await provider({ signal, reason: asked }));
        // Also what comes too late is good, if nothing newer was asked for: it may have cost a user's attention.
        if (turn === turns) keep(given, asked);
        return given.token;
      });
      ok = true;
      return token;
    } catch (thrown) {
      failure = signal.aborted ? new TokenFault("it took too long", true) : thrown;
      failures.fail();
      throw failure;
    } finally {
      end();
      const durationMs = clock.now() - startedAt;
      tell(hooks, (one) => one.onTokenRefresh?.({ reason: asked, ok, durationMs }));
    }
  }

  /** One flight, whatever the load. */
  async function fly(forMs = timeoutMs): Promise<string> {
    if (flight === undefined && failures.rests()) throw failure;
    const boarded: Flight = flight ?? { reason, token: ask(reason, forMs).finally(land) };
    flight = boarded;
    const token = await boarded.token;
    return token === rejected && boarded.reason !== "rejected" ? await fly() : token;
  }

  function land(): void {
    flight = undefined;
  }

  return {
    async get() {
      const left = held === undefined ? 0 : held.endsAt - clock.now();
      if (held === undefined || left <= Math.min(waitBeforeMs, held.life / 2)) {
        try {
          // Who still has a token keeps half of its time to use it.
          return await fly(left > 0 ? Math.ceil(Math.min(timeoutMs, left / 2)) : timeoutMs);
        } catch (thrown) {
          if (held !== undefined && clock.now() < held.endsAt) return held.token;
          throw thrown;
        }
      }
      if (left <= Math.min(renewBeforeMs, held.life / 2)) fly().catch(() => undefined);
      return held.token;
    },
    accept(token) {
      if (held?.token !== token || !held.untried) return;
      held = { ...held, untried: false };
      rejections.end();
    },
    reject(token) {
      if (held?.token !== token) return;
      // A server that rejects also what was asked for in its stead must not have the provider asked with every call.
      if (held.untried) {
        if (rejections.rests()) return;
        rejections.fail();
      }
      held = undefined;
      rejected = token;
      reason = "rejected";
      failures.end();
    },
  };
}

function read(given: ProvidedToken): { readonly token: string; readonly endsAt: number } {
  // Its type forbids that, but a forgotten `return` is easily written in JavaScript.
  if (given === undefined || given === null) throw new TokenFault("it gave nothing");
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
