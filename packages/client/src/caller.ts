import type { Call } from "./call.js";
import { callError, tokenError } from "./call-error.js";
import type { KeyedCallOptions } from "./call-options.js";
import type { Clock } from "./clock.js";
import type { Operation } from "./contract.js";
import { type Deadline, startDeadline } from "./deadline.js";
import { type Hooks, type Outcome, tell } from "./hooks.js";
import { openCall } from "./open-call.js";
import { PlatformError } from "./platform-error.js";
import { firstRequestId, requestIdHeader } from "./request-id.js";
import { createRetries, type Retries } from "./retry.js";
import { withhold } from "./secrets.js";
import type { TokenSource } from "./token-source.js";

/** What a transport gets for one attempt. */
export interface Outgoing {
  /** Authorization, the ids and Connect-Timeout-Ms stand in it already. */
  readonly headers: Headers;
  readonly signal: AbortSignal;
  /** Milliseconds that are left. */
  readonly timeoutMs: number;
}

/** Sends a request once. Rejects with a `PlatformError`, or with whatever went wrong on the way. */
export type Attempt<Answer> = (outgoing: Outgoing) => Promise<{ readonly answer: Answer; readonly headers: Headers }>;

/** An answer, with the id that names its call in the server's logs. */
export type Answered<Answer> = Answer & { readonly requestId: string };

/**
 * Calls operations: the one way from a request to an answer, or to a `PlatformError`. `prepare` reads the request, notes its
 * secrets, and makes the attempt.
 */
export type Caller = <Answer extends object>(
  operation: Operation,
  prepare: (call: Call) => Attempt<Answer>,
  options?: KeyedCallOptions,
  retries?: Retries,
) => Promise<Answered<Answer>>;

export interface CallerDeps {
  readonly tokens: TokenSource;
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly retries: Retries;
  readonly hooks: readonly Hooks[];
  readonly userAgent: string | undefined;
}

export const noRetries = createRetries(false);

export function createCaller(deps: CallerDeps): Caller {
  const { tokens, clock, hooks } = deps;

  return async (operation, prepare, options = {}, retries = deps.retries) => {
    const { call, headers: own } = openCall(operation, options, deps);
    const { deadline, info, requestId, secrets } = call;
    const { signal } = deadline;

    const obtain = async () => {
      try {
        const token = await deadline.race(() => tokens.get());
        secrets.add(token);
        return token;
      } catch (cause) {
        throw signal.aborted ? cause : tokenError(cause, call);
      }
    };

    /** Sends the call once, within a time of its own. */
    const send = (attempt: number, token: string, transmit: ReturnType<typeof prepare>) => {
      const timeoutMs = Math.min(deadline.left(), Math.ceil(retries.attemptTimeoutMs));
      const { signal, race, end } = startDeadline(timeoutMs, deadline.signal, clock);
      const headers = new Headers();
      const setHeader = (name: string, value: string) => headers.set(name, value);
      tell(hooks, (one) => one.onRequest?.(info, { attempt, setHeader }));
      for (const [name, value] of own) headers.set(name, value);
      headers.set("Authorization", `Bearer ${token}`);
      headers.set("Connect-Timeout-Ms", `${timeoutMs}`);
      const told = (outcome: Outcome) => tell(hooks, (one) => one.onResponse?.(info, { attempt, ...outcome }));
      return settled(call, { signal, end }, told, async () => {
        const { answer, headers: answered } = await race(() => transmit({ headers, signal, timeoutMs }));
        const answeredId = withhold(answered.get(requestIdHeader) ?? "", secrets);
        return Object.assign(answer, { requestId: firstRequestId(requestId, answeredId) });
      });
    };

    tell(hooks, (one) => one.onStart?.(info));
    const told = (outcome: Outcome) => tell(hooks, (one) => one.onEnd?.(info, outcome));
    const answer = await settled(call, deadline, told, async () => {
      const transmit = prepare(call);
      let rejected: string | undefined;
      let failure: PlatformError | undefined;
      for (let attempt = 1; ; ) {
        const token = await obtain();
        if (failure !== undefined && token === rejected) throw failure;
        const answer = await send(attempt, token, transmit);
        if (!(answer instanceof PlatformError)) {
          retries.succeeded();
          tokens.accept(token);
          return answer;
        }
        failure = answer;
        if (answer.code === "unauthenticated" && rejected === undefined) {
          // Whoever rejects a token, also a gateway, does so before anything is done: the call can be sent again.
          rejected = token;
          tokens.reject(token);
        } else {
          const delayMs = signal.aborted ? undefined : retries.delay(answer, operation, attempt, deadline.left());
          if (delayMs === undefined) throw answer;
          const { reason } = answer;
          tell(hooks, (one) => one.onRetry?.(info, { attempt, delayMs, reason }));
          await deadline.race(() => clock.sleep(delayMs, signal));
          attempt += 1;
        }
      }
    });
    if (answer instanceof PlatformError) throw answer;
    return answer;
  };

  /** Does a part of a call: what came of it, or the error that it threw. Ends its time, and tells of its end. */
  async function settled<Settled extends { readonly requestId: string }>(
    call: Call,
    { signal, end }: Pick<Deadline, "signal" | "end">,
    told: (outcome: Outcome) => void,
    work: () => Promise<Settled>,
  ): Promise<Settled | PlatformError> {
    const startedAt = clock.now();
    const answer = await work().catch((thrown: unknown) => callError(thrown, call, signal));
    end();
    const error = answer instanceof PlatformError ? { reason: answer.reason, code: answer.code } : undefined;
    told({ durationMs: clock.now() - startedAt, requestId: answer.requestId, error });
    return answer;
  }
}
