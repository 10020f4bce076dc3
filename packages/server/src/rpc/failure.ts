import { Code, ConnectError } from "@connectrpc/connect";
import { StorageFailure } from "../ports/storage.js";
import { Refusal, refuse } from "./refusal.js";

/** How long to wait before trying again what is unavailable, in milliseconds. */
const pause = 1000;

/** Being unable to answer now: the caller is told when to try again. */
export function unavailable(): Refusal {
  return refuse("UNAVAILABLE", { retryAfterMs: pause });
}

/**
 * Whatever was thrown, as a refusal that callers may see. What is not meant for them becomes INTERNAL: its text may
 * repeat what it was given.
 */
export function refusalFrom(thrown: unknown): Refusal {
  if (thrown instanceof Refusal) return thrown;
  if (thrown instanceof StorageFailure) {
    switch (thrown.reason) {
      case "unavailable":
      case "full":
      case "damaged":
      case "lost":
      case "contended":
        return unavailable();
      case "sequence_exhausted":
        return refuse("SEQUENCE_EXHAUSTED");
      case "dropped":
        return refuse("DEADLINE_EXCEEDED");
    }
  }
  // A handler that watches its signal may end with Connect's own words for it.
  if (thrown instanceof ConnectError && thrown.code === Code.DeadlineExceeded) return refuse("DEADLINE_EXCEEDED");
  return refuse("INTERNAL");
}
