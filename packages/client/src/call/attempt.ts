import { safeHeaders } from "../error/safe-headers.js";
import type { ClientContext } from "../options/client-context.js";
import type { AttemptInput, AttemptState } from "./attempts.js";
import type { Answered } from "./call.js";
import { notify } from "./hooks.js";
import { runStep } from "./run-step.js";

/** Makes one attempt under its own deadline: gets a token, sends the request and reads the answer. */
export function runAttempt<Answer extends object>(
  { clock, hooks, tokens }: ClientContext,
  { call, headers: common, send, signal: parent, endsAt, limits }: AttemptInput<Answer>,
  state: AttemptState,
): Promise<Answered<Answer>> {
  const { attempt, rejected } = state;
  const leftMs = Math.ceil(Math.min(endsAt - clock.now(), limits.attemptTimeoutMs));
  return runStep({
    // What is left of the call's time has its own deadline.
    ...{ call, clock, ms: limits.attemptTimeoutMs, limit: "retry.attemptTimeoutMs", parent },
    async run(signal) {
      state.token = undefined;
      call.waitingFor = "the token provider";
      const token = await tokens.get(call);
      // The token may have come too late.
      signal.throwIfAborted();
      if (token === rejected?.token) throw rejected.error;
      state.token = token;
      call.secrets.push(token);
      call.waitingFor = call.host;
      const headers = new Headers();
      notify(hooks, (one) => one.onRequest?.(call.info, { attempt, headers }));
      const complete = new Headers(headers);
      for (const [name, value] of common) complete.set(name, value);
      complete.set("Authorization", `Bearer ${token}`);
      complete.set("Connect-Timeout-Ms", `${leftMs}`);
      return send(complete, signal, leftMs);
    },
    ended(outcome, answer) {
      const { response } = answer ?? {};
      const { status, headers = {} } = outcome.error ?? {
        status: response?.status,
        headers: response && safeHeaders(response.headers, call.redact),
      };
      notify(hooks, (one) => one.onResponse?.(call.info, { ...outcome, attempt, status, headers }));
    },
  });
}
