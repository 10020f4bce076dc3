import {
  create,
  type DescMessage,
  type DescMethodUnary,
  type MessageInitShape,
  type MessageShape,
} from "@bufbuild/protobuf";
import type { ContextValues, UnaryResponse } from "@connectrpc/connect";
import type { Call, HeaderRecord } from "../call/call.js";
import { rejectInvalid } from "../call/reject-invalid.js";
import { noteResponse } from "../call/response.js";
import { mistypedFields } from "./mistyped-fields.js";
import { addTimestampJson } from "./timestamp-json.js";
import { toPlatformError } from "./to-platform-error.js";

/** The part of a `Transport` that the client uses. */
export interface UnaryTransport {
  unary<I extends DescMessage, O extends DescMessage>(
    method: DescMethodUnary<I, O>,
    signal: AbortSignal,
    timeoutMs: number,
    headers: HeaderRecord,
    message: MessageShape<I>,
    contextValues?: ContextValues,
  ): Promise<UnaryResponse<I, O>>;
}

/** Encodes a request, and returns the function that sends it once over a transport of Connect. */
export function prepareUnary<I extends DescMessage, O extends DescMessage>(
  transport: UnaryTransport,
  method: DescMethodUnary<I, O>,
  request: MessageInitShape<I>,
  call: Call,
  contextValues?: ContextValues,
): (headers: HeaderRecord, signal: AbortSignal, timeoutMs: number) => Promise<UnaryResponse<I, O>> {
  const message = create(method.input, request);
  rejectInvalid(call, mistypedFields(method.input, message));
  return async (headers, signal, timeoutMs) => {
    try {
      const response = await transport.unary(method, signal, timeoutMs, headers, message, contextValues);
      noteResponse(call, response.header, 200);
      addTimestampJson(response.message);
      return response;
    } catch (thrown) {
      throw toPlatformError(thrown, call);
    }
  };
}
