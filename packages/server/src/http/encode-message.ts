import { type DescMessage, type Message, toJson } from "@bufbuild/protobuf";
import { isPlainResponse, writePlainResponse } from "../gen/json-writers.js";

/**
 * Writes a response message as JSON, with every field that has no presence.
 *
 * @throws Error when a value does not fit its field.
 */
export function encodeMessage(schema: DescMessage, message: Message): string {
  return plainJson(message) ?? encodeAnyMessage(schema, message);
}

/** `encodeMessage` without its shortcut for responses with a generated function. */
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
