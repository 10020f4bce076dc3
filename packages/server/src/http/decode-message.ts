import { type DescMessage, fromJsonString, type Message } from "@bufbuild/protobuf";
import { isFieldError } from "@bufbuild/protobuf/reflect";
import { rpcError } from "../services/rpc-error.js";
import { findMisspeltNumbers } from "./number-spelling.js";
import { readUsualJson } from "./read-usual-json.js";

/**
 * Decodes a request message. Unknown fields are ignored. A number may be `3`, `3.0` or `"3"`; other strings are rejected.
 *
 * @throws RpcError INVALID_FIELD when a value does not fit its field, MALFORMED_JSON for everything else. Neither repeats
 * the input, because it may contain a secret. (The decoder's own errors do repeat it.)
 */
export function decodeMessage(schema: DescMessage, text: string): Message {
  return readUsualJson(schema, text) ?? decodeAnyJson(schema, text);
}

/** `decodeMessage` without its shortcut for the usual JSON. */
export function decodeAnyJson(schema: DescMessage, text: string): Message {
  const message = fromText(schema, text);
  const misspelt = findMisspeltNumbers(schema, text);
  if (misspelt.length === 0) return message;
  throw rpcError("INVALID_FIELD", { violations: misspelt.map((field) => ({ field, description: digitsOnly })) });
}

const digitsOnly = "must be a number, or a string of its decimal digits";

function fromText(schema: DescMessage, text: string): Message {
  try {
    return fromJsonString(schema, text, { ignoreUnknownFields: true });
  } catch (error) {
    const cause = isFieldError(error) ? error : error instanceof Error ? error.cause : undefined;
    if (!isFieldError(cause) || namesTwice(schema, text)) throw rpcError("MALFORMED_JSON");
    const field = cause.field();
    throw rpcError("INVALID_FIELD", {
      violations: [
        {
          field: field.kind === "oneof" ? field.name : field.jsonName,
          description: "has a value that does not fit its type",
        },
      ],
    });
  }
}

/** Returns true if a field is present under both of its names, such as `vaultId` and `vault_id`: a duplicate key. */
function namesTwice({ fields }: DescMessage, text: string): boolean {
  const json: unknown = JSON.parse(text);
  if (typeof json !== "object" || json === null) return false;
  return fields.some(
    ({ name, jsonName }) => name !== jsonName && Object.hasOwn(json, name) && Object.hasOwn(json, jsonName),
  );
}
