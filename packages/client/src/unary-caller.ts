import {
  create,
  type DescMessage,
  type DescMethodUnary,
  type Message,
  type MessageInitShape,
  type MessageShape,
} from "@bufbuild/protobuf";
import type { Transport } from "@connectrpc/connect";
import type { TokenSource } from "./access-token.js";
import type { Call } from "./call.js";
import { callError, localError } from "./call-error.js";
import type { KeyedCallOptions } from "./call-options.js";
import { mistypedFields } from "./mistyped-fields.js";
import { openCall } from "./open-call.js";
import { firstRequestId, requestIdHeader } from "./request-id.js";

/** What the client must know of an operation besides its descriptor. */
export interface UnaryOperation<I extends DescMessage, O extends DescMessage, Answer extends MessageShape<O>> {
  readonly method: DescMethodUnary<I, O>;
  /** The values in a request that must stay secret. */
  readonly secretsOf: (request: MessageShape<I>) => readonly string[];
  /** Whether an answer holds all that the contract promises: the type of the message leaves some of it open. */
  readonly isComplete: (answer: MessageShape<O>) => answer is Answer;
}

/** An answer, with the id that names its call in the server's logs. */
export type Answered<Answer extends Message & { readonly requestId?: never }> = Answer & { readonly requestId: string };

/** Calls operations: the one way from a request to an answer, or to a `PlatformError`. */
export type UnaryCaller = <
  I extends DescMessage,
  O extends DescMessage,
  Answer extends MessageShape<O> & { readonly requestId?: never },
>(
  operation: UnaryOperation<I, O, Answer>,
  request: MessageInitShape<I>,
  options?: KeyedCallOptions,
) => Promise<Answered<Answer>>;

export function createUnaryCaller(deps: { transport: Transport; tokens: TokenSource; timeoutMs: number }): UnaryCaller {
  const { transport, tokens, timeoutMs } = deps;

  return async ({ method, secretsOf, isComplete }, request, options = {}) => {
    const { call, headers } = openCall(method, options, timeoutMs);
    const { deadline, secrets, requestId } = call;
    try {
      const message = create(method.input, request);
      const violations = mistypedFields(method.input, message);
      if (violations.length > 0) throw localError("INVALID_FIELD", call, { violations });
      for (const secret of secretsOf(message)) secrets.add(secret);

      return await withToken(call, async (token) => {
        headers.set("Authorization", `Bearer ${token}`);
        const { message: answer, header } = await deadline.race(() =>
          transport.unary(method, deadline.signal, deadline.left(), headers, message),
        );
        const answeredId = secrets.passing(header.get(requestIdHeader));
        if (!isComplete(answer)) throw localError("MALFORMED_RESPONSE", call, { answeredId });
        return Object.assign(answer, { requestId: firstRequestId(requestId, answeredId) });
      });
    } catch (thrown) {
      throw callError(thrown, call);
    } finally {
      deadline.end();
    }
  };

  /** Sends with a token, and once more with another when the server rejects it: it does so before it does anything. */
  async function withToken<T>(call: Call, send: (token: string) => Promise<T>): Promise<T> {
    const token = await obtain(call, (signal) => tokens.get(signal));
    try {
      return await send(token);
    } catch (thrown) {
      const error = callError(thrown, call);
      if (error.reason !== "UNAUTHENTICATED") throw error;
      const other = await obtain(call, async (signal) => (await tokens.replace(token, signal)) ?? token);
      if (other === token) throw error;
      return await send(other);
    }
  }
}

async function obtain(call: Call, get: (signal: AbortSignal) => Promise<string>): Promise<string> {
  try {
    const token = await call.deadline.race(() => get(call.deadline.signal));
    call.secrets.add(token);
    return token;
  } catch (thrown) {
    throw call.deadline.over() === undefined ? localError("TOKEN_UNAVAILABLE", call, { cause: thrown }) : thrown;
  }
}
