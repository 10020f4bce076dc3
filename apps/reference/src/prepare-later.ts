import type { Logger, Platform } from "@platform-rpc/server";
import { errorFields } from "./error-fields.js";

/** How long after the start the platform is prepared, in milliseconds: the first calls come before. */
const delayMs = 1_000;

/**
 * Prepares the platform for invalid requests a second after the start, when the first calls have been served. If that fails,
 * logs why: such requests fail as INTERNAL until the cause is fixed. Returns a function that cancels the preparation.
 */
export function prepareLater(platform: Pick<Platform, "prepare">, logger: Logger): () => void {
  const timer = setTimeout(() => {
    platform.prepare().catch((thrown: unknown) => logger.error(errorFields(thrown), "request validator not loaded"));
  }, delayMs);
  timer.unref();
  return () => clearTimeout(timer);
}
