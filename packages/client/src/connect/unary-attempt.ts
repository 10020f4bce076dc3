import { create, type DescMessage, type DescMethodUnary, type MessageInitShape } from "@bufbuild/protobuf";
import { ConnectError, type ContextValues, type Transport, type UnaryResponse } from "@connectrpc/connect";
import type { Call } from "../caller.js";
import { failure } from "../failure.js";
import { withholding } from "../secrets.js";
import { connectError } from "./connect-error.js";
import { mistypedFields } from "./mistyped-fields.js";

/** Reads a request, notes its secrets, and makes what sends it once over a transport of Connect. */
export function prepareUnary<I extends DescMessage, O extends DescMessage>(
  transport: Transport,
  method: DescMethodUnary<I, O>,
  request: MessageInitShape<I>,
  call: Call,
  secrets: string[],
  contextValues?: ContextValues,
): (headers: Headers, signal: AbortSignal, timeoutMs: number) => Promise<UnaryResponse<I, O>> {
  const message = create(method.input, request);
  const violations = mistypedFields(method.input, message);
  if (violations.length > 0) throw failure(call, "INVALID_FIELD", "invalid_argument", { violations });
  if ("deviceCode" in message && typeof message.deviceCode === "string") secrets.push(message.deviceCode);
  return async (headers, signal, timeoutMs) => {
    const note = (answered: Headers) => {
      call.requestId = withholding(secrets)("", answered.get("X-Request-Id") ?? call.requestId);
    };
    try {
      const response = await transport.unary(method, signal, timeoutMs, headers, message, contextValues);
      note(response.header);
      return response;
    } catch (thrown) {
      if (thrown instanceof ConnectError) note(thrown.metadata);
      throw connectError(thrown, call, secrets);
    }
  };
}
