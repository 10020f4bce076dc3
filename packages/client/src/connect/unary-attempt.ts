import { create, type DescMessage, type DescMethodUnary, type MessageInitShape } from "@bufbuild/protobuf";
import type { ContextValues, Transport, UnaryResponse } from "@connectrpc/connect";
import type { Call } from "../call.js";
import { localError } from "../call-error.js";
import type { Outgoing } from "../caller.js";
import { secretsIn } from "../secrets.js";
import { connectError } from "./connect-error.js";
import { mistypedFields } from "./mistyped-fields.js";

/** Reads a request, notes its secrets, and makes what sends it once over a transport of Connect. */
export function prepareUnary<I extends DescMessage, O extends DescMessage>(
  transport: Transport,
  method: DescMethodUnary<I, O>,
  request: MessageInitShape<I>,
  call: Call,
  contextValues?: ContextValues,
): (outgoing: Outgoing) => Promise<UnaryResponse<I, O>> {
  const message = create(method.input, request);
  const violations = mistypedFields(method.input, message);
  if (violations.length > 0) throw localError("INVALID_FIELD", call, { violations });
  for (const secret of secretsIn(message)) call.secrets.add(secret);
  return async ({ headers, signal, timeoutMs }) => {
    try {
      return await transport.unary(method, signal, timeoutMs, headers, message, contextValues);
    } catch (thrown) {
      throw connectError(thrown, call);
    }
  };
}
