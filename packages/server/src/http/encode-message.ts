import { type DescMessage, type Message, toJson } from "@bufbuild/protobuf";
import { isPlainResponse, writePlainResponse } from "../gen/json-writers.js";

/**
 * Writes a response message as JSON. Fields without presence are written even when they have their default value.
 *
 * @throws Error when a value does not fit its field.
 */
export function encodeMessage(schema: DescMessage, message: Message): string {
  return plainJson(message) ?? encodeAnyMessage(schema, message);
}

/** `encodeMessage` without the generated functions, which are a shortcut for plain responses. */
export function encodeAnyMessage(schema: DescMessage, message: Message): string {
  return JSON.stringify(toJson(schema, message, { alwaysEmitImplicit: true }));
}

function plainJson(message: Message): string | undefined {
  try {
    return isPlainResponse(message) ? JSON.stringify(writePlainResponse(message)) : undefined;
  } catch {
    return undefined;
  }
}
