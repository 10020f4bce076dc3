import { isPlatformError } from "@platform-rpc/client";
import type { Later, Outcome } from "./bulk-run.js";

const defaultDelayMs = 1000;

/** Waits for a call that changes an item, and returns how it ended. Never rejects. */
export async function callOutcome<Result>(calling: Promise<Result>): Promise<Outcome<Result> | Later> {
  try {
    return { outcome: "done", result: await calling };
  } catch (error) {
    const cause = error instanceof Error ? error.cause : undefined;
    if (isPlatformError(cause, "VERSION_CONFLICT")) return { outcome: "conflict" };
    if (isPlatformError(cause, "RATE_LIMITED")) return { outcome: "later", ms: cause.retryAfterMs ?? defaultDelayMs };
    return { outcome: "failed", error };
  }
}
