import type { PlatformError } from "../error/platform-error.js";
import type { TokenRequest } from "./token.js";

/** One call. All events of a call get the same object. */
export interface CallInfo {
  /** The name in the contract: `platform.v1.VaultService/DeleteItem`. */
  readonly operation: string;
  /** Identifies the call in the server's logs: the id that the client sent, or the one in the response if it differs. */
  readonly requestId: string;
}

/** How a call ended. */
export interface Outcome {
  readonly durationMs: number;
  /** Undefined when the call succeeded. */
  readonly error: PlatformError | undefined;
}

/** How an attempt ended. */
export interface AttemptOutcome extends Outcome {
  readonly attempt: number;
  /** The HTTP status of the response; undefined when none arrived. */
  readonly status: number | undefined;
  /** The response headers that are safe to log, by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Functions that a client notifies of events. Hooks see no body, token or code. A hook that throws or rejects is ignored. */
export interface Hooks {
  /** A call begins. If an option is invalid, a required field is missing or the signal is aborted, only `onEnd` is called. */
  readonly onStart?: (call: CallInfo) => void;
  /**
   * An attempt is about to be sent. The attempt after a rejected token has the same number. `headers` is empty: add headers to
   * send, such as `traceparent`.
   */
  readonly onRequest?: (call: CallInfo, request: { readonly attempt: number; readonly headers: Headers }) => void;
  /** An attempt ended. Also called for an attempt that got no token and was not sent. */
  readonly onResponse?: (call: CallInfo, outcome: AttemptOutcome) => void;
  /** A call will be sent again after `delayMs`. */
  readonly onRetry?: (
    call: CallInfo,
    retry: {
      readonly attempt: number;
      readonly delayMs: number;
      /** The error of the attempt. */
      readonly error: PlatformError;
    },
  ) => void;
  /** A call ended. */
  readonly onEnd?: (call: CallInfo, outcome: Outcome) => void;
  /** The token provider returned a token (`ok`) or failed. Also called for a fixed token. */
  readonly onTokenRefresh?: (refresh: { readonly reason: TokenRequest["reason"]; readonly ok: boolean }) => void;
}

/** Notifies every hook of an event. A hook that throws, or rejects, is ignored. */
export type Notify = <Event extends keyof Hooks>(
  event: Event,
  ...details: Parameters<NonNullable<Hooks[Event]>>
) => void;

export function createNotifier(hooks: readonly Hooks[]): Notify {
  return (event, ...details) => {
    for (const hook of hooks) callSafely(hook, event, details);
  };
}

/** Calls a method, if there is one. Ignores what it throws or rejects with. */
export async function callSafely<Target extends object>(
  target: Target,
  method: keyof Target,
  details: readonly unknown[],
): Promise<void> {
  try {
    const called: unknown = target[method];
    if (typeof called === "function") await Reflect.apply(called, target, details);
  } catch {
    // A failing hook must not fail the call.
  }
}
