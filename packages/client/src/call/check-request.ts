import type { Operation } from "../contract.js";
import { createError } from "../error/create-error.js";
import type { FieldViolation } from "../error/platform-error.js";
import type { Call } from "./call.js";

/** Registers the secrets of a request for redaction. Rejects a request that is missing, or lacks a required field. */
export function checkRequest(call: Call, { required, secrets }: Operation, request: unknown): void {
  const fields: Readonly<Record<string, unknown>> = Object(request);
  const missing = required.filter((field) => fields[field] === undefined);
  rejectInvalid(
    call,
    missing.map((field) => ({ field, description: "is required" })),
  );
  for (const secret of secrets) call.secrets.push(String(fields[secret]));
}

/** Rejects a call before it is sent if there are violations. */
export function rejectInvalid(call: Call, violations: readonly FieldViolation[]): void {
  if (violations.length > 0) throw createError(call, "INVALID_FIELD", "invalid_argument", "Not sent.", { violations });
}
