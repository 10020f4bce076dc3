import { type CallRef, createError } from "./create-error.js";
import type { PlatformError } from "./platform-error.js";

/** Creates the error of a login that the person denied. */
export function accessDenied(call: CallRef): PlatformError {
  const text = "The user denied access. Ask again only if the user wants to.";
  return createError(call, "ACCESS_DENIED", "permission_denied", text);
}
