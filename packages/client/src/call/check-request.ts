import type { Operation } from "../contract.js";
import { createError } from "../error/create-error.js";
import type { Call } from "./call.js";

/** Hides the secrets of a request. Rejects a request that is missing, or lacks a required field. */
export function checkRequest(call: Call, { required, secrets }: Operation, request: unknown): void {
  const fields: Readonly<Record<string, unknown>> = Object(request);
  const missing = required.filter((field) => fields[field] === undefined);
  if (missing.length > 0) {
    throw createError(call, {
      ...{ reason: "INVALID_FIELD", code: "invalid_argument" },
      violations: missing.map((field) => ({ field, description: "is required" })),
      text: `Not sent: the request lacks ${missing.join(", ")}. Pass an object with ${required.join(", ")}.`,
    });
  }
  for (const secret of secrets) call.secrets.push(String(fields[secret]));
}
