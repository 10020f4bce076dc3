import { ConnectError } from "@connectrpc/connect";
import { isPlatformError, type PlatformError } from "@platform-rpc/client";
import { ProgramError } from "./program-error.js";

/**
 * Returns the platform's error in what a client threw. Clients of Connect throw errors that have it as their cause. A call that has
 * no token failed because of the session: then it is the error of the session.
 */
export function platformErrorOf(thrown: unknown): PlatformError | undefined {
  const error = errorIn(thrown);
  if (!isPlatformError(error)) return undefined;
  return isPlatformError(error, "TOKEN_UNAVAILABLE") && isPlatformError(error.cause) ? error.cause : error;
}

/** Returns the program's error in what a client threw: the file of the session cannot be read or written. */
export function programErrorOf(thrown: unknown): ProgramError | undefined {
  const error = errorIn(thrown);
  const cause = isPlatformError(error, "TOKEN_UNAVAILABLE") ? error.cause : error;
  return cause instanceof ProgramError ? cause : undefined;
}

function errorIn(thrown: unknown): unknown {
  return thrown instanceof ConnectError ? thrown.cause : thrown;
}
