import type { CallEnd } from "../history/journal.ts";

/** Errors before the first byte was sent. */
const unsent = new Set(["ECONNREFUSED", "ENOENT", "ENETUNREACH", "EHOSTUNREACH"]);

/** Returns the end of a call without a response. */
export function endOfFailedSend(error: unknown): CallEnd {
  const code = codeOf(error);
  return unsent.has(code) ? { refused: code } : { lost: code };
}

function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return "code" in error && typeof error.code === "string" ? error.code : error.name;
}
