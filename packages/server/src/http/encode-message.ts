import { type DescMessage, type Message, toJson } from "@bufbuild/protobuf";
import type { JsonWriter } from "../contract/contract.js";

/**
 * Writes a response message as JSON. Fields without presence are written even when they have their default value.
 *
 * @param write the generated function, which is a shortcut. The general encoder writes what it does not.
 * @throws Error when a value does not fit its field.
 */
export function encodeMessage(schema: DescMessage, message: Message, write?: JsonWriter): string {
  return plainJson(message, write) ?? JSON.stringify(toJson(schema, message, { alwaysEmitImplicit: true }));
}

function plainJson(message: Message, write: JsonWriter | undefined): string | undefined {
  try {
    return JSON.stringify(write?.(message));
  } catch {
    return undefined;
  }
}
