import { isLockUnsent, lockSession } from "@platform-rpc/accounts/browser/api";
import { withSession } from "@platform-rpc/accounts/browser/session-channel";
import type { describedSession } from "@platform-rpc/accounts/console/console-routes";
import type { UnlockedKeys } from "@platform-rpc/accounts/keys/user-keys";
import { type AccessToken, isPlatformError } from "@platform-rpc/client";
import { accountErrorOf, noAnswerError } from "./account-error.js";
import { watchPerson } from "./person-active.js";

const isPersonActive = watchPerson(window);

/** The session as the server describes it, and the person's keys, which only the browser has. */
export type ConsoleSession = ReturnType<typeof describedSession> & { readonly keys: UnlockedKeys };

export function describeSession(): Promise<Omit<ConsoleSession, "keys">> {
  return callAccounts("console", { method: "GET" });
}

/** Gets an access token. It is never stored: the session of the browser gets another one. */
export function fetchToken(signal: AbortSignal | null = null): Promise<AccessToken> {
  return callAccounts("token", { method: "POST", signal });
}

/**
 * Says that the session has ended, or is locked. The script of the accounts origin asks the server which, locks the page, and opens the sign-in
 * page, which comes back to this page. Only that script does so: the browser cancels a navigation if another one begins, and the person's keys could stay in it.
 */
export function sessionEnded(): Promise<never> {
  dispatchEvent(new Event("platform-session-ended"));
  return new Promise(() => {});
}

/** Locks the page: the script of the accounts origin forgets the keys in this browser. */
export function lockNow(): void {
  dispatchEvent(new Event("platform-lock"));
}

/** Asks the script of the accounts origin to check the session at once: a call was refused, for example because its token was revoked. */
export function checkSession(): void {
  dispatchEvent(new Event("platform-session-check"));
}

/**
 * Sends a request to an endpoint of the accounts origin, with the session of the browser. It does not extend the session while nobody
 * uses the page: the page asks for tokens and changes by itself.
 */
export function fetchAccount(path: string, init: RequestInit): Promise<Response> {
  const headers = new Headers(init.headers);
  if (!isPersonActive()) headers.set("X-Person-Active", "no");
  return withSession(async () => {
    // The browser was locked, or signed out, without a network: a token from before would be revoked at once.
    if (isLockUnsent()) await lockSession();
    return fetchAnswer(`/account/api/${path}`, { ...init, headers });
  });
}

/** The event that says that the server did not answer a request. Its `detail` is the URL. */
export const noAnswer = "platform-no-answer";

/** Calls `fetch`, and notifies the page if the server does not answer, unless the caller has aborted the request. */
export async function fetchAnswer(url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, init);
  } catch (error) {
    const { signal } = init;
    if (signal?.aborted !== true || isPlatformError(signal.reason, "DEADLINE_EXCEEDED")) {
      dispatchEvent(new CustomEvent(noAnswer, { detail: url }));
    }
    throw error;
  }
}

async function callAccounts<Result>(path: string, init: RequestInit): Promise<Result> {
  const response = await fetchAccount(path, init).catch(() => Promise.reject(noAnswerError()));
  if (response.ok) return response.json();
  if (response.status === 401) return sessionEnded();
  throw await accountErrorOf(response);
}
