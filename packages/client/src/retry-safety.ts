import type { Operation } from "./contract.js";

/** Whether the operation takes an Idempotency-Key, as the contract says. */
export function takesIdempotencyKey({ retrySafety }: Operation): boolean {
  return retrySafety === "WITH_KEY";
}

/**
 * Whether a call whose outcome is not known can be sent again, as the contract says of its operation. Deny by default:
 * what the contract does not say is not safe.
 */
export function repeatable({ retrySafety }: Operation, sameKey: boolean): boolean {
  return retrySafety === "IDEMPOTENT" || (retrySafety === "WITH_KEY" && sameKey);
}
