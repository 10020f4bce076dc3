import { defaultLimits } from "@platform-rpc/server/host";
import type { MiddlewareHandler } from "hono";
import type { AccountsEnvironment } from "./environment.js";
import { RequestError } from "./request-error.js";

/** How long a request may take, all of its steps together: as long as a call of the API without Connect-Timeout-Ms. */
const { defaultTimeoutMs } = defaultLimits;

/**
 * Responds with UNAVAILABLE to a request that is not served in time, such as while the database hangs. Its steps that have not begun
 * by then are dropped. Mount it before everything that waits.
 */
export function limitTime(): MiddlewareHandler<AccountsEnvironment> {
  return async (context, next) => {
    const { signal } = context.req.raw;
    const deadlineAt = performance.now() + defaultTimeoutMs;
    context.set("wanted", () => !signal.aborted && performance.now() < deadlineAt);
    const late = Promise.withResolvers<never>();
    const timer = setTimeout(() => late.reject(new RequestError("UNAVAILABLE")), defaultTimeoutMs);
    // What is still running then can neither change the response nor fail unnoticed.
    await Promise.race([next(), late.promise]).finally(() => clearTimeout(timer));
  };
}
