import { isMessage, toJson } from "@bufbuild/protobuf";
import { TimestampSchema } from "@bufbuild/protobuf/wkt";

/**
 * Gives each timestamp in a message a `toJSON` that returns it as on the wire. Without it, `JSON.stringify` throws for the `bigint` that
 * a timestamp contains. It is not enumerable: copies and comparisons of the message stay as they are.
 */
export function addTimestampJson(value: unknown): void {
  if (isMessage(value, TimestampSchema)) {
    Reflect.defineProperty(value, "toJSON", { value: () => toJson(TimestampSchema, value), configurable: true });
  } else if (typeof value === "object" && value !== null && !ArrayBuffer.isView(value)) {
    for (const part of Object.values(value)) addTimestampJson(part);
  }
}
