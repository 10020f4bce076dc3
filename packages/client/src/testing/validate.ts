import { type DescMessage, fromJson, type JsonValue } from "@bufbuild/protobuf";
import { isFieldError } from "@bufbuild/protobuf/reflect";
import type { FieldViolation } from "../error/platform-error.js";

const id = /^[A-Za-z0-9][A-Za-z0-9._:-]*$/;

/** The contract's rules for the fields of both requests, with its wording. */
const rules: Readonly<Record<string, (value: string) => string | undefined>> = {
  vaultId: idRule,
  itemId: idRule,
  deviceCode: (value) => (value.length > 256 ? "must be at most 256 characters" : undefined),
};

function idRule(value: string): string | undefined {
  if (value.length > 128) return "must be at most 128 characters";
  return id.test(value) ? undefined : `does not match regex pattern \`${id.source}\``;
}

/** Returns the violations of a request, with the platform's field names. All fields of both requests are required. */
export function violationsOf(request: object): FieldViolation[] {
  return Object.entries(request).flatMap(([field, value]) => {
    if (value === "" || value === 0) return [{ field, description: "is required" }];
    const description = typeof value === "string" ? rules[field]?.(value) : undefined;
    return description === undefined ? [] : [{ field, description }];
  });
}

/** Returns the violation of an Idempotency-Key header, if any. */
export function keyViolations(key: string | null): FieldViolation[] {
  if (key === null || /^[!-~]{16,128}$/.test(key)) return [];
  return [{ field: "Idempotency-Key", description: "must be 16 to 128 visible ASCII characters" }];
}

/** Returns the violation of the first field whose JSON value does not fit its type, with the platform's wording. */
export function mistypedFields(schema: DescMessage, body: JsonValue): FieldViolation[] {
  try {
    fromJson(schema, body, { ignoreUnknownFields: true });
    return [];
  } catch (error) {
    const cause = isFieldError(error) ? error : error instanceof Error ? error.cause : undefined;
    if (!isFieldError(cause)) throw error;
    const field = cause.field();
    return [
      {
        field: field.kind === "oneof" ? field.name : field.jsonName,
        description: "has a value that does not fit its type",
      },
    ];
  }
}
