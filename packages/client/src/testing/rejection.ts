import { expect } from "vitest";
import { type AnyPlatformError, isPlatformError } from "../platform-error.js";

/** The error that a call rejects with. */
export async function rejection(call: Promise<unknown>): Promise<AnyPlatformError> {
  const thrown = await call.then(
    () => expect.unreachable("the call resolved"),
    (thrown: unknown) => thrown,
  );
  return isPlatformError(thrown) ? thrown : expect.unreachable("not a PlatformError");
}
