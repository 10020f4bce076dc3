import type { DescMessage, DescMethodUnary, MessageInitShape, MessageShape } from "@bufbuild/protobuf";
import type { Transport } from "@connectrpc/connect";
import type { KeyedCallOptions } from "../call-options.js";
import type { Answered, Caller } from "../caller.js";
import type { Operation } from "../contract.js";
import { readErrorBody } from "../error-body.js";
import type { Retries } from "../retry.js";
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
  retries?: Retries,
) => Promise<Answered<Answer>>;

export function createConnectCaller(transport: Transport, caller: Caller): ConnectCaller {
  return ({ operation, method, isComplete }, request, options, retries) =>
    caller(
      operation,
      (call) => {
        const send = prepareUnary(transport, method, request, call);
        return async (outgoing) => {
          const { message: answer, header: headers } = await send(outgoing);
          if (!isComplete(answer)) throw readErrorBody(undefined, "unknown", headers, call);
          return { answer, headers };
        };
      },
      options,
      retries,
    );
}
