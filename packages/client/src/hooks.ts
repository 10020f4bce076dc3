import type { PlatformErrorCode } from "./error-code.js";
import type { PlatformErrorReason } from "./error-reason.js";

/** One call. The same object in all events of the call. */
export interface CallInfo {
  /** By the names of the contract: `platform.v1.VaultService`, `DeleteItem`. */
  readonly operation: { readonly service: string; readonly method: string };
  /** The id that the client gave the call. */
  readonly requestId: string;
}

/** How an attempt, or a call, ended. */
export interface Outcome {
  readonly durationMs: number;
  /** The request id that the answer named. */
  readonly requestId: string;
  /** What went wrong; undefined when nothing did. */
  readonly error: { readonly reason: PlatformErrorReason; readonly code: PlatformErrorCode } | undefined;
}

/** Told of what a client does. They see no body, no token and no code; what they throw, or reject with, is ignored. */
export interface Hooks {
  /** A call begins. */
  readonly onStart?: (call: CallInfo) => void;
  /** A call is sent, for the first time or again. `setHeader` adds a header, such as `traceparent`. */
  readonly onRequest?: (
    call: CallInfo,
    request: { readonly attempt: number; readonly setHeader: (name: string, value: string) => void },
  ) => void;
  /** An attempt is over. */
  readonly onResponse?: (call: CallInfo, outcome: Outcome & { readonly attempt: number }) => void;
  /** A call will be sent again after `delayMs`. */
  readonly onRetry?: (
    call: CallInfo,
    retry: { readonly attempt: number; readonly delayMs: number; readonly reason: PlatformErrorReason },
  ) => void;
  /** A call is over. */
  readonly onEnd?: (call: CallInfo, outcome: Outcome) => void;
  /** The token provider was asked and has answered, or failed. */
  readonly onTokenRefresh?: (refresh: {
    readonly reason: "first" | "expired" | "rejected";
    readonly ok: boolean;
    readonly durationMs: number;
  }) => void;
}

/**
 * Tells every observer, as a method of its own: none can break what it observes, also when what it returns, being async,
 * rejects.
 */
export function tell<Observer>(observers: readonly Observer[], how: (observer: Observer) => unknown): void {
  for (const observer of observers) {
    try {
      Promise.resolve(how(observer)).catch(() => undefined);
    } catch {
      // Its own fault.
    }
  }
}
