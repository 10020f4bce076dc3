import { type DescMethod, getOption } from "@bufbuild/protobuf";
import { operation, RetrySafety } from "@platform/types";

/** Whether the operation takes an Idempotency-Key, as the contract says. */
export function takesIdempotencyKey(method: DescMethod): boolean {
  return getOption(method, operation).retrySafety === RetrySafety.WITH_KEY;
}

/**
 * Whether a caller can send a call again whose outcome is not known, as the contract says of its operation. Deny by
 * default: what the contract does not say is not safe.
 */
export function repeatable(method: DescMethod, callerHasKey: boolean): boolean {
  const { retrySafety } = getOption(method, operation);
  return retrySafety === RetrySafety.IDEMPOTENT || (retrySafety === RetrySafety.WITH_KEY && callerHasKey);
}
