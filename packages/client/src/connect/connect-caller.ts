import type { DescMessage, DescMethodUnary, MessageInitShape, MessageShape } from "@bufbuild/protobuf";
import type { Transport } from "@connectrpc/connect";
import type { KeyedCallOptions } from "../call-options.js";
import type { Answered, Caller } from "../caller.js";
import type { Operation } from "../contract.js";
import { failure } from "../failure.js";
import type { RetryPolicy } from "../retry.js";
import { prepareUnary } from "./unary-attempt.js";

/** What the client must know of an operation besides the contract's constants. */
export interface UnaryOperation<I extends DescMessage, O extends DescMessage, Answer extends MessageShape<O>> {
  readonly operation: Operation;
  readonly method: DescMethodUnary<I, O>;
  /** Whether an answer holds all that the contract promises: the type of the message leaves some of it open. */
  readonly isComplete: (answer: MessageShape<O>) => answer is Answer;
}

/** Calls operations over a transport of Connect. */
export type ConnectCaller = <I extends DescMessage, O extends DescMessage, Answer extends MessageShape<O>>(
  operation: UnaryOperation<I, O, Answer>,
  request: MessageInitShape<I>,
  options?: KeyedCallOptions,
  policy?: RetryPolicy<Answered<Answer>>,
) => Promise<Answered<Answer>>;

export function createConnectCaller(transport: Transport, caller: Caller): ConnectCaller {
  return ({ operation, method, isComplete }, request, options, policy) =>
    caller(
      operation,
      (call, secrets) => {
        const send = prepareUnary(transport, method, request, call, secrets);
        return async (headers, signal, timeoutMs) => {
          const { message: answer } = await send(headers, signal, timeoutMs);
          if (!isComplete(answer)) throw failure(call, "MALFORMED_RESPONSE", "unknown");
          return Object.assign(answer, { requestId: call.requestId });
        };
      },
      options,
      policy,
    );
}
