import type { ApiErrorBody } from "../http/request-error.js";

/** An error of an endpoint of this origin. The message is for the person. */
export class ApiError extends Error {
  override readonly name = "ApiError";

  /** Undefined if there was no answer, or one that no endpoint sends. */
  readonly reason: ApiErrorBody["reason"] | undefined;
  /** Whether the same request fails again. Otherwise the server was not reached, or was busy. */
  readonly isFinal: boolean;

  constructor(message: string, reason?: ApiErrorBody["reason"], isFinal = false) {
    super(message);
    this.reason = reason;
    this.isFinal = isFinal;
  }
}

/** How long a call may take, in milliseconds. While a sign-in ends, the requests of all tabs wait for it: see `replaceSession`. */
const longestMs = 30_000;

/** Calls an endpoint of this origin. @throws ApiError (as a rejection) */
export async function callApi<Result>(path: string, body: object): Promise<Result> {
  const headers = { "Content-Type": "application/json" };
  const signal = AbortSignal.timeout(longestMs);
  const init = { method: "POST", headers, body: JSON.stringify(body), signal };
  const response = await fetch(`/account/api/${path}`, init).catch(() => undefined);
  if (response === undefined) throw new ApiError("The server did not answer. Check your network, and try again.");
  const isJson = hasJson(response);
  if (response.ok && isJson) {
    reportUnlocking(path);
    return response.json();
  }
  const { message = "The server is not available. Try again in a minute.", reason }: Partial<ApiErrorBody> = isJson
    ? await response.json()
    : {};
  throw new ApiError(message, reason, response.status >= 400 && response.status < 500 && response.status !== 429);
}

/** The event of a page that has changed what unlocks the keys of the person. */
export const unlockingChanged = "platform-unlocking-changed";

/** Notifies the page if an endpoint that has succeeded changes what unlocks the keys of the person. */
export function reportUnlocking(path: string): void {
  if (["passkeys/finish", "recovery-code/finish", "access/end"].includes(path))
    dispatchEvent(new Event(unlockingChanged));
}

function hasJson({ headers }: Response): boolean {
  return headers.get("Content-Type")?.startsWith("application/json") === true;
}

/** Returns whether the server sent a response of an endpoint: not a proxy that does not reach it, and not the page of a network that asks to sign in. */
export function isAnswer(response: Response): boolean {
  return response.status < 500 && hasJson(response);
}

/** Where the browser keeps what the person did, and the server does not know: `lock` or `sign-out`. */
const unsentKey = "platform: not sent";

/**
 * Locks the session of this browser: the server then ends its tokens, and does nothing with it but unlock the browser. Or ends it: the person
 * has signed out. Resolves with whether the server has answered. If not, the next page that reaches it calls this again.
 */
export async function lockSession(how: "lock" | "sign-out" = "lock"): Promise<boolean> {
  // A browser that is locked after the person has signed out must still end the session.
  const sent = localStorage.getItem(unsentKey) === "sign-out" ? "sign-out" : how;
  try {
    localStorage.setItem(unsentKey, sent);
  } catch {
    // The storage is full. It is sent now in any case.
  }
  const init = { method: "POST", keepalive: true, signal: AbortSignal.timeout(2_000) };
  const response = await fetch(`/account/api/${sent}`, init).catch(() => undefined);
  if (response === undefined || !isAnswer(response)) return false;
  // Without a session, there is nothing to lock or end.
  if (response.ok || response.status === 401) forgetUnsentLock();
  return true;
}

export function isLockUnsent(): boolean {
  return localStorage.getItem(unsentKey) !== null;
}

/** Call it when another session has begun. */
export function forgetUnsentLock(): void {
  localStorage.removeItem(unsentKey);
}
