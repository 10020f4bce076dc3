import { localError } from "../call-error.js";
import type { KeyedCallOptions } from "../call-options.js";
import type { Answered, Caller } from "../caller.js";
import type { Operation } from "../contract.js";
import { readErrorBody } from "../error-body.js";
import { fillIn } from "../fill-in.js";
import type { PostJson } from "../post-json.js";
import type { Retries } from "../retry.js";
import { secretsIn } from "../secrets.js";

/** An operation, and its messages in JSON. */
export interface JsonOperation<Request extends object, Answer extends object> {
  readonly operation: Operation;
  readonly emptyRequest: Request;
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

export function createJsonCaller(baseUrl: string, post: PostJson, caller: Caller): JsonCaller {
  return ({ operation, emptyRequest, isComplete }, request, options, retries) =>
    caller(
      operation,
      (call) => {
        const given = { ...request };
        const violations = Object.entries(emptyRequest)
          .filter(([field, empty]) => !fillIn({ [field]: empty }, given))
          .map(([field]) => ({ field, description: "does not have the type that the contract gives it" }));
        if (violations.length > 0) throw localError("INVALID_FIELD", call, { violations });
        for (const secret of secretsIn(given)) call.secrets.add(secret);
        const body = JSON.stringify(given, Object.keys(emptyRequest));

        const url = `${baseUrl}/${operation.service}/${operation.method}`;
        return async (outgoing) => {
          const { ok, code, headers, body: answer } = await post(url, body, outgoing);
          if (ok && isComplete(answer)) return { answer, headers };
          throw readErrorBody(ok ? undefined : answer, code, headers, call);
        };
      },
      options,
      retries,
    );
}
