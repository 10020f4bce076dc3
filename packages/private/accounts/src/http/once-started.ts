import type { MiddlewareHandler } from "hono";
import { RequestError } from "./request-error.js";

/**
 * Responds with UNAVAILABLE until every listener of the process is open. Before that, the process does not know all of its URLs: it would
 * use up a code for a token that it cannot issue. Mount it before everything that needs a URL.
 */
export function onceStarted({ started }: { readonly started: () => boolean }): MiddlewareHandler {
  return async (_, next) => {
    if (!started()) throw new RequestError("UNAVAILABLE");
    return next();
  };
}
