import {
  create,
  type DescMessage,
  type DescMethodUnary,
  type MessageInitShape,
  type MessageShape,
} from "@bufbuild/protobuf";
import type { Transport } from "@connectrpc/connect";
import { localError } from "../call-error.js";
import type { KeyedCallOptions } from "../call-options.js";
import type { Answered, Caller } from "../caller.js";
import type { Operation } from "../contract.js";
import { readErrorBody } from "../error-body.js";
import type { Retries } from "../retry.js";
import { connectError } from "./connect-error.js";
import { mistypedFields } from "./mistyped-fields.js";

/** What the client must know of an operation besides the contract's constants. */
export interface UnaryOperation<I extends DescMessage, O extends DescMessage, Answer extends MessageShape<O>> {
  readonly operation: Operation;
  readonly method: DescMethodUnary<I, O>;
  /** The values in a request that must stay secret. */
  readonly secretsOf: (request: MessageShape<I>) => readonly string[];
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
  return ({ operation, method, secretsOf, isComplete }, request, options, retries) =>
    caller(
      operation,
      (call) => {
        const message = create(method.input, request);
        const violations = mistypedFields(method.input, message);
        if (violations.length > 0) throw localError("INVALID_FIELD", call, { violations });
        for (const secret of secretsOf(message)) call.secrets.add(secret);
        return async ({ headers, signal, timeoutMs }) => {
          const unary = async () => transport.unary(method, signal, timeoutMs, headers, message);
          const { message: answer, header } = await unary().catch((thrown: unknown) => {
            throw connectError(thrown, call);
          });
          if (!isComplete(answer)) throw readErrorBody(undefined, "unknown", header, call);
          return { answer, headers: header };
        };
      },
      options,
      retries,
    );
}
