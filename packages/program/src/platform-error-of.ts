import { ConnectError } from "@connectrpc/connect";
import { isPlatformError, type PlatformError } from "@platform-rpc/client";

/**
 * Returns the platform's error in what a client threw. Clients of Connect throw errors that have it as their cause. A call that has
 * no token failed because of the session: then it is the error of the session.
 */
export function platformErrorOf(thrown: unknown): PlatformError | undefined {
  const error = thrown instanceof ConnectError ? thrown.cause : thrown;
  if (!isPlatformError(error)) return undefined;
  return isPlatformError(error, "TOKEN_UNAVAILABLE") && isPlatformError(error.cause) ? error.cause : error;
}
