import type { TokenProvider, TokenRequest } from "./access-token.js";
import { createBackOff } from "./back-off.js";
import { readToken, TokenFault } from "./bearer-token.js";
import type { Clock } from "./clock.js";
import { startDeadline } from "./deadline.js";
import { type Hooks, tell } from "./hooks.js";
import type { TokenSource } from "./token-source.js";

/** A token is renewed beside the calls this long before it ends, and calls wait for the new one from the second on. */
const renewBeforeMs = 120_000;
const waitBeforeMs = 30_000;

/** What provided tokens depend on. */
export interface ProvidedTokensDeps {
  /** Milliseconds that a provider is given. */
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly hooks: readonly Hooks[];
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

/** Tokens that a provider gives, each kept until shortly before it ends. */
export function createProvidedTokens(
  provider: TokenProvider,
  { timeoutMs, clock, hooks }: ProvidedTokensDeps,
): TokenSource {
  const failures = createBackOff(clock);
  const rejections = createBackOff(clock);
  let held: Held | undefined;
  let rejected: string | undefined;
  let reason: TokenRequest["reason"] = "first";
  let flight: Flight | undefined;
  let failure: unknown;
  let turns = 0;

  function keep({ token, endsAt }: ReturnType<typeof readToken>, asked: TokenRequest["reason"]): void {
    // It was asked for before the server rejected what it is.
    if (token === rejected && asked !== "rejected") return;
    const life = endsAt - clock.now();
    // Where it has ended when it comes the clock may be wrong: the server will say.
    const end = life > 0 ? { life, endsAt } : { life: Number.POSITIVE_INFINITY, endsAt: Number.POSITIVE_INFINITY };
    held = { token, ...end, untried: asked === "rejected" };
    reason = "expired";
    rejected = undefined;
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
        const given = readToken(await provider({ signal, reason: asked }));
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
