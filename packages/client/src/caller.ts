import type { TokenSource } from "./access-token.js";
import type { Call } from "./call.js";
import { callError, localError } from "./call-error.js";
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

/** What a transport gets for one attempt. */
export interface Outgoing {
  /** Authorization, the ids and Connect-Timeout-Ms stand in it already. */
  readonly headers: Headers;
  readonly signal: AbortSignal;
  /** Milliseconds that are left. */
  readonly timeoutMs: number;
}

/** Sends a request once. Rejects with a `PlatformError`, or with whatever went wrong on the way. */
export type Attempt<Answer> = (
  outgoing: Outgoing,
  call: Call,
) => Promise<{ readonly answer: Answer; readonly headers: Headers }>;

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
  readonly hooks: Hooks;
  readonly userAgent: string | undefined;
}

export const noRetries = createRetries(false);

export function createCaller(deps: CallerDeps): Caller {
  const { tokens, clock, hooks } = deps;

  return async (operation, prepare, options = {}, retries = deps.retries) => {
    const { call, headers } = openCall(operation, options, deps);
    const { deadline, info } = call;
    tell(hooks.onStart, info);
    const answer = await settled(
      call,
      deadline,
      (outcome) => tell(hooks.onEnd, info, outcome),
      async () => {
        const attempt = prepare(call);
        let failure: PlatformError | undefined;
        for (let number = 1, rejected: string | undefined; ; ) {
          const token = await obtain(call);
          if (failure !== undefined && token === rejected) throw failure;
          const answer = await send(call, headers, attempt, token, number, retries.attemptTimeoutMs);
          if (!(answer instanceof PlatformError)) {
            retries.succeeded();
            return answer;
          }
          failure = answer;
          if (answer.reason === "UNAUTHENTICATED" && rejected === undefined) {
            // The server rejects a token before it does anything: the call can be sent again.
            rejected = token;
            tokens.reject(token);
            continue;
          }
          const delayMs = deadline.signal.aborted
            ? undefined
            : retries.delay(answer, operation, number, deadline.left());
          if (delayMs === undefined) throw answer;
          tell(hooks.onRetry, info, { attempt: number, delayMs, reason: answer.reason });
          await deadline.race(() => clock.sleep(delayMs, deadline.signal));
          number += 1;
        }
      },
    );
    if (answer instanceof PlatformError) throw answer;
    return answer;
  };

  async function obtain({ deadline, secrets, ...call }: Call): Promise<string> {
    try {
      const token = await deadline.race(() => tokens.get(deadline.signal));
      secrets.add(token);
      return token;
    } catch (cause) {
      throw deadline.signal.aborted ? cause : localError("TOKEN_UNAVAILABLE", call, { cause });
    }
  }

  /** One attempt, within its own time. */
  async function send<Answer extends object>(
    call: Call,
    kept: Headers,
    attempt: Attempt<Answer>,
    token: string,
    number: number,
    atMostMs: number,
  ) {
    const timeoutMs = Math.min(call.deadline.left(), atMostMs);
    const deadline = startDeadline(timeoutMs, call.deadline.signal, clock);
    const headers = new Headers();
    const setHeader = (name: string, value: string) => headers.set(name, value);
    tell(hooks.onRequest, call.info, { attempt: number, setHeader });
    for (const [name, value] of kept) headers.set(name, value);
    headers.set("Authorization", `Bearer ${token}`);
    headers.set("Connect-Timeout-Ms", `${timeoutMs}`);
    const end = (outcome: Outcome) => tell(hooks.onResponse, call.info, { attempt: number, ...outcome });
    return await settled(call, deadline, end, async () => {
      const { answer, headers: answered } = await deadline.race(() =>
        attempt({ headers, signal: deadline.signal, timeoutMs }, call),
      );
      const id = withhold(answered.get(requestIdHeader) ?? "", call.secrets);
      return Object.assign(answer, { requestId: firstRequestId(call.requestId, id) });
    });
  }

  /** Does a part of a call: what came of it, or the error that it threw. Ends its time, and tells of its end. */
  async function settled<Settled extends { readonly requestId: string }>(
    call: Call,
    deadline: Deadline,
    told: (outcome: Outcome) => void,
    work: () => Promise<Settled>,
  ): Promise<Settled | PlatformError> {
    const startedAt = clock.now();
    const answer = await work().catch((thrown: unknown) => callError(thrown, call, deadline.signal));
    deadline.end();
    const error = answer instanceof PlatformError ? { reason: answer.reason, code: answer.code } : undefined;
    told({ durationMs: clock.now() - startedAt, requestId: answer.requestId, error });
    return answer;
  }
}
