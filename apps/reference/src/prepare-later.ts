import type { Logger, Platform } from "@platform-rpc/server";
import { errorFields } from "./error-fields.js";

/** The time from the start to the preparation, in milliseconds, so that the preparation does not delay the first calls. */
const delayMs = 1_000;

/**
 * Prepares the platform for invalid requests a second after the start, usually after the first calls. A failure is logged:
 * such requests then fail as INTERNAL until the cause is fixed. Returns a function that cancels the preparation.
 */
export function prepareLater(platform: Pick<Platform, "prepare">, logger: Logger): () => void {
  const timer = setTimeout(() => {
    platform.prepare().catch((thrown: unknown) => logger.error(errorFields(thrown), "request validator not loaded"));
  }, delayMs);
  timer.unref();
  return () => clearTimeout(timer);
}
