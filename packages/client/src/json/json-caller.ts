import type { KeyedCallOptions } from "../call-options.js";
import type { Answered, Caller } from "../caller.js";
import type { Operation } from "../contract.js";
import { codeOfStatus, readErrorBody } from "../error-body.js";
import { causeOf, failure } from "../failure.js";
import { postJson } from "../post-json.js";
import type { RetryPolicy } from "../retry.js";
import { withholding } from "../secrets.js";
import type { DeleteItemInput, ExchangeInput } from "./messages.js";

/** Calls operations over `fetch`. `read` gives an answer that holds all that the contract promises, or undefined. */
export type JsonCaller = <Answer extends object>(
  operation: Operation,
  read: (answer: unknown) => Answer | undefined,
  request: DeleteItemInput | ExchangeInput,
  options?: KeyedCallOptions,
  policy?: RetryPolicy<Answered<Answer>>,
) => Promise<Answered<Answer>>;

export const createJsonCaller = (
  baseUrl: string,
  fetch: typeof globalThis.fetch | undefined,
  caller: Caller,
): JsonCaller => {
  return (operation, read, request, options, policy) =>
    caller(
      operation,
      (call, secrets) => {
        if ("deviceCode" in request) secrets.push(`${request.deviceCode}`);
        const url = `${baseUrl}/${operation[0]}`;
        const body = JSON.stringify(request);
        return async (sent, signal) => {
          const [response, text] = await postJson(fetch, url, body, sent, signal).catch((thrown) => {
            throw failure(call, "NETWORK_ERROR", "unavailable", causeOf(thrown));
          });
          const { ok, status, headers } = response;
          call.requestId = withholding(secrets)("", headers.get("X-Request-Id") ?? call.requestId);
          let answered: unknown;
          try {
            // A success brings tokens.
            answered = JSON.parse(text, withholding(ok ? [] : secrets));
          } catch {
            // No JSON.
          }
          const answer = ok ? read(answered) : undefined;
          if (answer) return Object.assign(answer, { requestId: call.requestId });
          throw readErrorBody(ok ? undefined : answered, codeOfStatus(status), headers, call);
        };
      },
      options,
      policy,
    );
};
