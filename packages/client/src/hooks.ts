import type { TokenRequest } from "./access-token.js";
import type { PlatformError } from "./platform-error.js";

/** One call. The same object in all events of the call. */
export interface CallInfo {
  /** By the name of the contract: `platform.v1.VaultService/DeleteItem`. */
  readonly operation: string;
  /** The id that names the call in the server's logs: what the client gave it, until an answer names another. */
  readonly requestId: string;
}

/** How an attempt, or a call, ended. */
export interface Outcome {
  readonly durationMs: number;
  /** What went wrong; undefined when nothing did. */
  readonly error: PlatformError | undefined;
}

/** Told of what a client does. They see no body, no token and no code; what they throw, or reject with, is ignored. */
export interface Hooks {
  /** A call begins. Not told of one whose headers cannot be sent, or which is aborted already: that only ends. */
  readonly onStart?: (call: CallInfo) => void;
  /** A call is sent, for the first time or again; after a rejected token with the same number. To `headers`, which are empty, others may be added, such as `traceparent`. */
  readonly onRequest?: (
    call: CallInfo,
    request: {
      readonly attempt: number;
      readonly headers: Headers;
    },
  ) => void;
  /** An attempt is over, also one that got no token and was not sent. */
  readonly onResponse?: (call: CallInfo, outcome: Outcome & { readonly attempt: number }) => void;
  /** A call will be sent again after `delayMs`. */
  readonly onRetry?: (
    call: CallInfo,
    retry: {
      readonly attempt: number;
      readonly delayMs: number;
      /** What the attempt failed with. */
      readonly error: PlatformError;
    },
  ) => void;
  /** A call is over. */
  readonly onEnd?: (call: CallInfo, outcome: Outcome) => void;
  /** A token was asked for, be it a fixed one, and has come (`ok`) or not. */
  readonly onTokenRefresh?: (refresh: { readonly reason: TokenRequest["reason"]; readonly ok: boolean }) => void;
}

/**
 * Tells every observer, as a method of its own: none can break what it observes, also when what it returns, being async,
 * rejects.
 */
export const tell = <Observer>(observers: readonly Observer[], how: (observer: Observer) => unknown): void => {
  for (const observer of observers) {
    (async () => how(observer))().catch(() => undefined);
  }
};
