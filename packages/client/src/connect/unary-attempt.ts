import {
  create,
  type DescMessage,
  type DescMethodUnary,
  isMessage,
  type MessageInitShape,
  type MessageShape,
  toJson,
} from "@bufbuild/protobuf";
import { reflect } from "@bufbuild/protobuf/reflect";
import { TimestampSchema } from "@bufbuild/protobuf/wkt";
import type { ContextValues, UnaryResponse } from "@connectrpc/connect";
import { kindOf } from "@platform-rpc/options";
import { type Call, type HeaderRecord, noteResponse } from "../call/call.js";
import { rejectInvalid } from "../error/create-error.js";
import type { FieldViolation } from "../error/platform-error.js";
import { toPlatformError } from "./connect-error.js";

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

/**
 * Returns the fields whose type differs from the contract's. Only callers without TypeScript can pass them. Checked before
 * encoding, because the error messages of encoding contain the value.
 */
function mistypedFields<Desc extends DescMessage>(schema: Desc, message: MessageShape<Desc>): FieldViolation[] {
  const given = reflect(schema, message, false);
  const checked = reflect(schema, create(schema));
  return schema.fields
    .filter((field) => {
      try {
        if (given.isSet(field)) checked.set(field, given.get(field));
        return false;
      } catch {
        return true;
      }
    })
    .map(({ jsonName, localName }) => {
      const expected = typeof (Reflect.get(create(schema), localName) ?? {});
      const kind = kindOf(Reflect.get(message, localName));
      return {
        field: jsonName,
        description: kind === expected ? "is out of range" : `must be of type ${expected}, not ${kind}`,
      };
    });
}

/**
 * Gives each timestamp in a message a `toJSON` that returns it as on the wire. Without it, `JSON.stringify` throws for the `bigint` that
 * a timestamp contains. It is not enumerable: copies and comparisons of the message stay as they are.
 */
function addTimestampJson(value: unknown): void {
  if (isMessage(value, TimestampSchema)) {
    Reflect.defineProperty(value, "toJSON", { value: () => toJson(TimestampSchema, value), configurable: true });
  } else if (typeof value === "object" && value !== null && !ArrayBuffer.isView(value)) {
    for (const part of Object.values(value)) addTimestampJson(part);
  }
}
