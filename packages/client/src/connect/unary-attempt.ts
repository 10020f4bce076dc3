import { create, type DescMessage, type DescMethodUnary, type MessageInitShape } from "@bufbuild/protobuf";
import { ConnectError, type ContextValues, type Transport, type UnaryResponse } from "@connectrpc/connect";
import { type Call, noteRequestId } from "../call/call.js";
import { checkRequest } from "../call/check-request.js";
import type { Operation } from "../contract.js";
import { createError } from "../error/create-error.js";
import { mistypedFields } from "./mistyped-fields.js";
import { toPlatformError } from "./to-platform-error.js";

/** Encodes a request, hides its secrets, and returns the function that sends it once over a transport of Connect. */
export function prepareUnary<I extends DescMessage, O extends DescMessage>(
  transport: Transport,
  operation: Operation,
  method: DescMethodUnary<I, O>,
  request: MessageInitShape<I>,
  call: Call,
  contextValues?: ContextValues,
): (headers: Headers, signal: AbortSignal, timeoutMs: number) => Promise<UnaryResponse<I, O>> {
  checkRequest(call, operation, request);
  const message = create(method.input, request);
  const violations = mistypedFields(method.input, message);
  if (violations.length > 0) {
    throw createError(call, {
      ...{ reason: "INVALID_FIELD", code: "invalid_argument", violations },
      text: `Not sent: ${violations.map(({ field, description }) => `${field} ${description}`).join("; ")}.`,
    });
  }
  return async (headers, signal, timeoutMs) => {
    try {
      const response = await transport.unary(method, signal, timeoutMs, headers, message, contextValues);
      noteRequestId(call, response.header);
      return response;
    } catch (thrown) {
      if (thrown instanceof ConnectError) noteRequestId(call, thrown.metadata);
      throw toPlatformError(thrown, call);
    }
  };
}
