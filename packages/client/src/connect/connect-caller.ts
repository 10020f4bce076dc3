import type { DescMessage, DescMethodUnary, MessageInitShape, MessageShape } from "@bufbuild/protobuf";
import { type Answered, answered, type Caller, type Operation } from "../call/call.js";
import { isConsistent } from "../device/device-session.js";
import { errorOfAnswer } from "../error/error-answer.js";
import type { KeyedCallOptions } from "../options/client-options.js";
import { prepareUnary, type UnaryTransport } from "./unary-attempt.js";

/** An operation: the contract's constants, its method, and a check of its responses. */
export interface UnaryOperation<I extends DescMessage, O extends DescMessage, Answer extends MessageShape<O>> {
  readonly operation: Operation;
  readonly method: DescMethodUnary<I, O>;
  /** Returns whether a response has every field that the contract guarantees. In the type of the message, some are optional. */
  readonly isComplete?: (answer: MessageShape<O>) => answer is Answer;
}

export type ConnectCaller = <I extends DescMessage, O extends DescMessage, Answer extends MessageShape<O>>(
  operation: UnaryOperation<I, O, Answer>,
  request: MessageInitShape<I>,
  options?: KeyedCallOptions,
) => Promise<Answered<Answer>>;

export function createConnectCaller(transport: UnaryTransport, caller: Caller): ConnectCaller {
  return ({ operation, method, isComplete = isAnswer }, request, options) =>
    caller(
      operation,
      request,
      (call) => {
        const send = prepareUnary(transport, method, request, call);
        return async (headers, signal, timeoutMs) => {
          const { message, header } = await send(headers, signal, timeoutMs);
          if (!isComplete(message) || !isConsistent(operation, message)) throw errorOfAnswer(call, "");
          return answered(call, message, { status: 200, headers: header });
        };
      },
      options,
    );
}

/** For responses without a guaranteed message field. */
function isAnswer<Message, Answer extends Message>(_answer: Message): _answer is Answer {
  return true;
}
