import { setTimeout } from "node:timers/promises";

/** Shorter than the minute after which MCP clients give up by default. */
const waitMs = 45_000;

/** Resolves when a call has waited long enough for a person who approves in a browser, or at the signal. */
export function approvalWait(signal: AbortSignal): Promise<void> {
  return setTimeout(waitMs, undefined, { signal }).catch(() => undefined);
}
