import { type CallRef, createError } from "../error/create-error.js";
import type { FieldViolation } from "../error/platform-error.js";

/** Rejects a call before it is sent if there are violations. */
export function rejectInvalid(call: CallRef, violations: readonly FieldViolation[]): void {
  if (violations.length > 0) throw createError(call, "INVALID_FIELD", "invalid_argument", "Not sent.", { violations });
}
