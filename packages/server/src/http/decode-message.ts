import { type DescMessage, fromJsonString, type MessageShape } from "@bufbuild/protobuf";
import { isFieldError } from "@bufbuild/protobuf/reflect";
import { rpcError } from "../rpc/rpc-error.js";
import { findMisspeltNumbers } from "./number-spelling.js";

/**
 * Reads a request message. Unknown fields are ignored; numbers may come as `3`, `3.0` or `"3"`, and as no other string.
 *
 * @throws RpcError INVALID_FIELD when a value does not fit its field, MALFORMED_JSON for everything else. Neither repeats
 * the input, which the errors of the decoder do: a secret may be in it.
 */
export function decodeMessage<Desc extends DescMessage>(schema: Desc, text: string): MessageShape<Desc> {
  const message = fromText(schema, text);
  const misspelt = findMisspeltNumbers(schema, text);
  if (misspelt.length === 0) return message;
  throw rpcError("INVALID_FIELD", { violations: misspelt.map((field) => ({ field, description: digitsOnly })) });
}

const digitsOnly = "must be a number, or a string of its decimal digits";

function fromText<Desc extends DescMessage>(schema: Desc, text: string): MessageShape<Desc> {
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

/** Whether one field stands there under both of its names, `vaultId` and `vault_id`: a key twice, in two spellings. */
function namesTwice({ fields }: DescMessage, text: string): boolean {
  const json: unknown = JSON.parse(text);
  if (typeof json !== "object" || json === null) return false;
  return fields.some(
    ({ name, jsonName }) => name !== jsonName && Object.hasOwn(json, name) && Object.hasOwn(json, jsonName),
  );
}
