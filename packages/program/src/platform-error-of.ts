import { ConnectError } from "@connectrpc/connect";
import { isPlatformError, type PlatformError } from "@platform-rpc/client";

/** Returns the platform's error in what a client threw. Clients of Connect throw errors that have it as their cause. */
export function platformErrorOf(thrown: unknown): PlatformError | undefined {
  const error = thrown instanceof ConnectError ? thrown.cause : thrown;
  return isPlatformError(error) ? error : undefined;
}
