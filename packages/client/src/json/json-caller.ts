import { type Answered, answered, type Caller, noteRequestId } from "../call/call.js";
import type { KeyedCallOptions } from "../call/call-options.js";
import { checkRequest } from "../call/check-request.js";
import type { Operation } from "../contract.js";
import { isConsistent } from "../device/exchange-answer.js";
import { errorOfAnswer } from "../error/error-answer.js";
import { networkError } from "../error/network-error.js";
import { createRedactor, parseJson } from "../error/redactor.js";
import { type HttpTarget, postJson } from "../wire/post-json.js";

/** What the entry must know of an operation besides the contract's constants. */
export interface JsonOperation<Answer> extends Operation {
  /** Returns an answer with everything that the contract promises, or undefined. */
  readonly read: (answer: unknown) => Answer | undefined;
}

/** Calls operations over `fetch`. */
export type JsonCaller = <Answer extends object>(
  operation: JsonOperation<Answer>,
  request: object,
  options?: KeyedCallOptions,
) => Promise<Answered<Answer>>;

/** An answer may contain tokens: it is cleaned of control characters only. */
const clean = createRedactor([]);

export function createJsonCaller(target: HttpTarget, caller: Caller): JsonCaller {
  return (operation, request, options) =>
    caller(
      operation,
      (call) => {
        checkRequest(call, operation, request);
        // Only the fields of the operation leave the program.
        const body = JSON.stringify(request, [...operation.fields]);
        return async (headers, signal) => {
          const answer = await postJson(target, operation.path, { headers, body, signal }).catch((thrown) => {
            throw networkError(call, thrown);
          });
          noteRequestId(call, answer.headers);
          const result = answer.status === 200 ? operation.read(parseJson(answer.text, clean)) : undefined;
          if (!result || !isConsistent(operation, result)) throw errorOfAnswer(call, answer);
          return answered(call, result, { status: answer.status, headers: answer.headers });
        };
      },
      options,
    );
}
