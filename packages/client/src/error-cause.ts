import { type ErrorCause, isPlatformError } from "./platform-error.js";

const namePattern = /^[A-Z][A-Za-z]{0,63}$/;
const codePattern = /^[A-Z][A-Z0-9_]{0,63}$/;

/** How deep causes are followed. */
const deepest = 5;

/**
 * What may be told of an error: its name, and the first code that it or one of its causes has, as `ECONNREFUSED` in the
 * cause of the `TypeError` that `fetch` rejects with; the reason, when it is one of this package.
 */
export function summarizeCause(thrown: unknown): ErrorCause | undefined {
  if (!(thrown instanceof Error)) return undefined;
  return { name: namePattern.test(thrown.name) ? thrown.name : "Error", code: firstCode(thrown, deepest) };
}

function firstCode(thrown: unknown, depth: number): string | undefined {
  if (!(thrown instanceof Error) || depth === 0) return undefined;
  if (isPlatformError(thrown)) return thrown.reason;
  if ("code" in thrown && typeof thrown.code === "string" && codePattern.test(thrown.code)) return thrown.code;
  return firstCode(thrown.cause, depth - 1);
}
