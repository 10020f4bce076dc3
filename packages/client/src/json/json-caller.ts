import { type Answered, answered, type Caller, noteResponse, type Operation } from "../call/call.js";
import { isConsistent } from "../device/device-session.js";
import { networkError } from "../error/create-error.js";
import { errorOfAnswer } from "../error/error-answer.js";
import type { KeyedCallOptions } from "../options/client-options.js";
import { type HttpTarget, postJson } from "../wire/http.js";
import { attempt, type Reader } from "../wire/read-json.js";

/** Calls operations over `fetch`. `read` returns a response with every field that the contract guarantees, or throws. */
export type JsonCaller = <Answer extends object>(
  operation: Operation,
  read: Reader<Answer>,
  request: object,
  options?: KeyedCallOptions,
) => Promise<Answered<Answer>>;

export function createJsonCaller(target: HttpTarget, caller: Caller): JsonCaller {
  return (operation, read, request, options) =>
    caller(
      operation,
      request,
      (call) => {
        // Only the fields of the operation leave the program.
        const body = JSON.stringify(request, operation.fields);
        return async (headers, signal) => {
          const answer = await postJson(target, operation.path, { headers, body, signal }).catch((thrown) => {
            throw networkError(call, thrown);
          });
          noteResponse(call, answer.headers, answer.status);
          const result = answer.status === 200 ? attempt(() => read(JSON.parse(answer.text))) : undefined;
          if (!result || !isConsistent(operation, result)) throw errorOfAnswer(call, answer.text);
          return answered(call, result, answer);
        };
      },
      options,
    );
}
