import type { Operation } from "./contract.js";
import type { PlatformErrorReason } from "./error-reason.js";
import type { PlatformErrorInit } from "./platform-error.js";

/**
 * Whether a call whose outcome is not known can be sent again, as the contract says of its operation. Deny by default:
 * what the contract does not say is not safe.
 */
export function repeatable({ retrySafety }: Operation, sameKey: boolean): boolean {
  return retrySafety === "IDEMPOTENT" || (retrySafety === "WITH_KEY" && sameKey);
}

/** Whether the same call may succeed later. A server that is short of something must say when. */
export function isTransient({
  code,
  retryAfterMs,
}: Pick<PlatformErrorInit<PlatformErrorReason>, "code" | "retryAfterMs">): boolean {
  return (
    code === "unavailable" ||
    code === "deadline_exceeded" ||
    (code === "resource_exhausted" && retryAfterMs !== undefined)
  );
}
