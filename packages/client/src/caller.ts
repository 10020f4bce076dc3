import type { KeyedCallOptions } from "./call-options.js";
import type { CommonOptions } from "./client-options.js";
import { systemClock } from "./clock.js";
import type { Operation } from "./contract.js";
import type { PlatformErrorCode } from "./error-code.js";
import type { PlatformErrorReason } from "./error-reason.js";
import { causeOf, failure, isError } from "./failure.js";
import { type CallInfo, type Hooks, type Outcome, tell } from "./hooks.js";
import { newId } from "./new-id.js";
import type { PlatformError } from "./platform-error.js";
import { createRetryPolicy, type RetryOptions, type RetryPolicy } from "./retry.js";
import { createTokenSource } from "./token-source.js";
import { within } from "./within.js";

/** What is known of a call while it runs: enough to tell what its failure means. */
export interface Call extends CallInfo {
  requestId: string;
  /** Whether the caller, should it send the call again, sends the same Idempotency-Key, or needs none. */
  readonly retryable: boolean;
}

/** An answer, with the id that names its call in the server's logs. */
export type Answered<Answer> = Answer & { readonly requestId: string };

/**
 * Sends a request once. Authorization, the ids and Connect-Timeout-Ms stand in the headers already. Rejects with a
 * `PlatformError`, or with whatever went wrong while it read the answer.
 */
export type Send<Answer> = (headers: Headers, signal: AbortSignal, timeoutMs: number) => Promise<Answered<Answer>>;

/**
 * Calls operations: the one way from a request to an answer, or to a `PlatformError`. `prepare` reads the request, adds its
 * secrets to those that must not be told, should an answer repeat them, and makes what sends it.
 */
export type Caller = <Answer extends object>(
  operation: Operation,
  prepare: (call: Call, secrets: string[]) => Send<Answer>,
  options?: KeyedCallOptions,
  policy?: RetryPolicy<Answered<Answer>>,
) => Promise<Answered<Answer>>;

const defaultTimeoutMs = 15_000;
/** The server lets no call run for longer. */
const longestAttemptMs = 30_000;

/** @throws RangeError when the token is no bearer token. The message does not repeat it. */
export const createCaller = ({
  token,
  timeoutMs = defaultTimeoutMs,
  retry = {},
  hooks = [],
  userAgent,
  clock = systemClock,
}: CommonOptions): Caller => {
  const { maxAttempts = 4, attemptTimeoutMs = longestAttemptMs }: RetryOptions = retry || { maxAttempts: 1 };
  const retries = createRetryPolicy(maxAttempts);
  const observers = [hooks].flat();
  const [getToken, rejectToken, acceptToken] = createTokenSource(token, timeoutMs, clock, observers);

  /** Does a part of a call, in a time of its own: what came of it, or the error. Tells of its end. */
  const settled = async <Settled>(
    call: Call,
    ms: number,
    parent: AbortSignal | undefined,
    reason: PlatformErrorReason,
    code: PlatformErrorCode,
    end: (observer: Hooks, outcome: Outcome) => unknown,
    work: (signal: AbortSignal) => Promise<Settled>,
  ): Promise<Settled | PlatformError> => {
    const startedAt = clock.now();
    const answer = await within(call, ms, parent, clock, work).catch((thrown) =>
      isError(thrown) ? thrown : failure(call, reason, code, causeOf(thrown)),
    );
    const outcome = { durationMs: clock.now() - startedAt, error: isError(answer) ? answer : undefined };
    tell(observers, (one) => end(one, outcome));
    return answer;
  };

  return async <Answer extends object>(
    [operation, keyed]: Operation,
    prepare: (call: Call, secrets: string[]) => Send<Answer>,
    options: KeyedCallOptions = {},
    policy: RetryPolicy<Answered<Answer>> = retries,
  ) => {
    const ms = options.timeoutMs ?? timeoutMs;
    const endsAt = clock.now() + ms;
    const key = options.idempotencyKey || newId();
    const call: Call = { operation, requestId: newId(), retryable: !keyed || !!options.idempotencyKey };
    const answer = await settled(
      call,
      ms,
      options.signal,
      "INVALID_FIELD",
      "invalid_argument",
      (one, outcome) => one.onEnd?.(call, outcome),
      async (signal) => {
        const own = new Headers(options.headers);
        call.requestId = own.get("X-Request-Id") ?? call.requestId;
        own.set("X-Request-Id", call.requestId);
        if (userAgent) own.set("User-Agent", userAgent);
        if (keyed) own.set("Idempotency-Key", key);
        tell(observers, (one) => one.onStart?.(call));
        const secrets = keyed ? [key] : [];
        const send = prepare(call, secrets);

        let token = "";
        let rejected = "";
        let answer: Answered<Answer> | PlatformError | undefined;
        for (let attempt = 0; ; ) {
          if (isError(answer) && answer.code === "unauthenticated" && token && !rejected) {
            // Whoever rejects a token, also a gateway, does so before anything is done: the call can be sent again.
            rejected = token;
            rejectToken(token);
          } else {
            const delayMs = policy(answer, attempt);
            if (delayMs === undefined || (answer && clock.now() + delayMs >= endsAt)) return answer;
            if (isError(answer)) {
              const error = answer;
              tell(observers, (one) => one.onRetry?.(call, { attempt, delayMs, error }));
            }
            await (delayMs && clock.sleep(delayMs, signal));
            attempt += 1;
          }
          const leftMs = Math.ceil(Math.min(endsAt - clock.now(), attemptTimeoutMs));
          // The wait was longer than it should have been.
          if (answer && leftMs < 1) return answer;
          answer = await settled(
            call,
            leftMs,
            signal,
            "MALFORMED_RESPONSE",
            "unknown",
            (one, outcome) => one.onResponse?.(call, { attempt, ...outcome }),
            async (signal) => {
              token = "";
              token = await getToken(call);
              // It may have come too late.
              if (token === rejected || signal.aborted) throw answer;
              secrets.push(token);
              const added = new Headers();
              tell(observers, (one) => one.onRequest?.(call, { attempt, headers: added }));
              const headers = new Headers(added);
              for (const [name, value] of own) headers.set(name, value);
              headers.set("Authorization", `Bearer ${token}`);
              headers.set("Connect-Timeout-Ms", `${leftMs}`);
              const got = await send(headers, signal, leftMs);
              acceptToken();
              rejected = "";
              return got;
            },
          );
        }
      },
    );
    if (!answer || isError(answer)) throw answer;
    return answer;
  };
};
