import { localError } from "../call-error.js";
import type { KeyedCallOptions } from "../call-options.js";
import type { Answered, Caller } from "../caller.js";
import type { Operation } from "../contract.js";
import { fetchOrTypeError } from "../fetch-or-type-error.js";
import { requestIdHeader } from "../request-id.js";
import type { Retries } from "../retry.js";
import { fillIn } from "./fill-in.js";
import { jsonError } from "./json-error.js";

/** An operation, and its messages in JSON. */
export interface JsonOperation<Request extends object, Answer extends object> {
  readonly operation: Operation;
  readonly emptyRequest: Request;
  readonly secretsOf: (request: Request) => readonly string[];
  /** Whether an answer holds all that the contract promises. */
  readonly isComplete: (answer: unknown) => answer is Answer;
}

/** Calls operations over `fetch`. */
export type JsonCaller = <Request extends object, Answer extends object>(
  operation: JsonOperation<Request, Answer>,
  request: Request,
  options?: KeyedCallOptions,
  retries?: Retries,
) => Promise<Answered<Answer>>;

export function createJsonCaller(
  baseUrl: string,
  givenFetch: typeof globalThis.fetch | undefined,
  caller: Caller,
): JsonCaller {
  const fetch = fetchOrTypeError(givenFetch);
  return ({ operation, emptyRequest, secretsOf, isComplete }, request, options, retries) =>
    caller(
      operation,
      (call) => {
        const body = { ...request };
        const violations = Object.entries(emptyRequest)
          .filter(([field, empty]) => !fillIn({ [field]: empty }, body))
          .map(([field]) => ({ field, description: "does not have the type that the contract gives it" }));
        if (violations.length > 0) throw localError("INVALID_FIELD", call, { violations });
        for (const secret of secretsOf(request)) call.secrets.add(secret);
        const sent = JSON.stringify(body, Object.keys(emptyRequest));

        return async ({ headers, signal, timeoutMs }) => {
          headers.set("Content-Type", "application/json");
          headers.set("Connect-Protocol-Version", "1");
          headers.set("Connect-Timeout-Ms", `${timeoutMs}`);
          const url = `${baseUrl}/${operation.service}/${operation.method}`;
          const response = await fetch(url, { method: "POST", headers, body: sent, signal, redirect: "error" });
          const answer = parse(await response.text(), response.headers);
          if (!response.ok) throw jsonError(response.status, response.headers, answer, call);
          const answeredId = response.headers.get(requestIdHeader);
          if (!isComplete(answer)) throw localError("MALFORMED_RESPONSE", call, { answeredId });
          return { answer, headers: response.headers };
        };
      },
      options,
      retries,
    );
}

/** Undefined when it is no JSON. The errors of parsing repeat what they were given. */
function parse(text: string, headers: Headers): unknown {
  try {
    return /^application\/json\b/i.test(headers.get("Content-Type") ?? "") ? JSON.parse(text) : undefined;
  } catch {
    return undefined;
  }
}
