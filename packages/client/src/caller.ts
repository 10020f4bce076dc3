import type { TokenSource } from "./access-token.js";
import type { Call } from "./call.js";
import { callError, localError } from "./call-error.js";
import type { KeyedCallOptions } from "./call-options.js";
import type { Clock } from "./clock.js";
import type { Operation } from "./contract.js";
import { startDeadline } from "./deadline.js";
import { type CallInfo, type Hooks, type Outcome, tell } from "./hooks.js";
import { openCall } from "./open-call.js";
import { type AnyPlatformError, isPlatformError, type PlatformError } from "./platform-error.js";
import { firstRequestId, requestIdHeader } from "./request-id.js";
import { createRetries, type Retries } from "./retry.js";

/** What a transport gets for one attempt. */
export interface Outgoing {
  /** Authorization and the ids stand in it already. */
  readonly headers: Headers;
  readonly signal: AbortSignal;
  /** Milliseconds that are left, for Connect-Timeout-Ms. */
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
    const info: CallInfo = { operation, requestId: call.requestId };
    const startedAt = clock.now();
    tell(hooks.onStart, info);
    try {
      const answer = await sendUntilDone({ call, headers, info, retries }, prepare(call));
      retries.succeeded();
      tell(hooks.onEnd, info, outcome(startedAt, answer.requestId));
      return answer;
    } catch (thrown) {
      const error = callError(thrown, call);
      tell(hooks.onEnd, info, outcome(startedAt, error.requestId, error));
      throw error;
    } finally {
      call.deadline.end();
    }
  };

  async function sendUntilDone<Answer extends object>(sending: Sending, attempt: Attempt<Answer>) {
    const { call, info, retries } = sending;
    const { deadline, operation } = call;
    let token = await obtain(call, (signal) => tokens.get(signal));
    let replaced = false;
    for (let sent = 1; ; ) {
      try {
        return await send(sending, attempt, token, sent);
      } catch (thrown) {
        const error = narrowed(callError(thrown, call));
        if (error.reason === "UNAUTHENTICATED" && !replaced) {
          // The server rejects a token before it does anything: the call can be sent again.
          replaced = true;
          const other = await obtain(call, async (signal) => (await tokens.replace(token, signal)) ?? token);
          if (other === token) throw error;
          token = other;
          continue;
        }
        const delayMs =
          deadline.over() === undefined ? retries.delay(error, operation, sent, deadline.left()) : undefined;
        if (delayMs === undefined) throw error;
        tell(hooks.onRetry, info, { attempt: sent, delayMs, reason: error.reason });
        await deadline.race(() => clock.sleep(delayMs, deadline.signal));
        token = await obtain(call, (signal) => tokens.get(signal));
        sent += 1;
      }
    }
  }

  /** One attempt, within its own time. */
  async function send<Answer extends object>(
    { call, headers: kept, info, retries }: Sending,
    attempt: Attempt<Answer>,
    token: string,
    number: number,
  ): Promise<Answered<Answer>> {
    const { deadline, secrets, requestId } = call;
    const timeoutMs = Math.min(deadline.left(), retries.attemptTimeoutMs);
    const own = timeoutMs < deadline.left() ? startDeadline(timeoutMs, deadline.signal, clock) : undefined;
    const { signal, race } = own ?? deadline;
    const startedAt = clock.now();
    const headers = new Headers(kept);
    headers.set("Authorization", `Bearer ${token}`);
    const setHeader = (name: string, value: string) => {
      if (!kept.has(name) && name.toLowerCase() !== "authorization") headers.set(name, value);
    };
    tell(hooks.onRequest, info, { attempt: number, setHeader });
    try {
      const { answer, headers: answered } = await race(() => attempt({ headers, signal, timeoutMs }, call));
      const id = firstRequestId(requestId, secrets.passing(answered.get(requestIdHeader)));
      tell(hooks.onResponse, info, { attempt: number, ...outcome(startedAt, id) });
      return Object.assign(answer, { requestId: id });
    } catch (thrown) {
      const timedOut = own?.over() !== undefined && deadline.over() === undefined && !isPlatformError(thrown);
      const error = timedOut ? localError("DEADLINE_EXCEEDED", call) : callError(thrown, call);
      tell(hooks.onResponse, info, { attempt: number, ...outcome(startedAt, error.requestId, error) });
      throw error;
    } finally {
      own?.end();
    }
  }

  function outcome(startedAt: number, requestId: string, error?: PlatformError): Outcome {
    return {
      durationMs: clock.now() - startedAt,
      requestId,
      error: error && { reason: error.reason, code: error.code },
    };
  }
}

interface Sending {
  readonly call: Call;
  readonly headers: Headers;
  readonly info: CallInfo;
  readonly retries: Retries;
}

async function obtain(call: Call, get: (signal: AbortSignal) => Promise<string>): Promise<string> {
  try {
    const token = await call.deadline.race(() => get(call.deadline.signal));
    call.secrets.add(token);
    return token;
  } catch (thrown) {
    throw call.deadline.over() === undefined ? localError("TOKEN_UNAVAILABLE", call, { cause: thrown }) : thrown;
  }
}

function narrowed(error: PlatformError): AnyPlatformError {
  if (isPlatformError(error)) return error;
  throw error;
}
