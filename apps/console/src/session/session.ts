import { keptUserKeys } from "@platform-rpc/accounts/browser/kept-keys";
import type { UserKeys } from "@platform-rpc/accounts/keys/user-keys";
import type { AccessToken } from "@platform-rpc/client";
import { accountErrorOf, noAnswerError } from "./account-error.js";
import { watchPerson } from "./person-active.js";

const isPersonActive = watchPerson(window);

/** The signed-in person, and what the page needs to call for them. */
export interface ConsoleSession {
  readonly tenantId: string;
  /** The id of the person, who is also the recipient of item keys. */
  readonly principalId: string;
  readonly displayName: string;
  /** The URL of the API, which deletes items. */
  readonly apiUrl: string;
  /** Whether the person has not stored a recovery code yet: every page reminds them. */
  readonly recoveryCodeMissing: boolean;
  /** Undefined if the keys are locked in this browser: no item can be opened then. */
  readonly keys: UserKeys | undefined;
}

/** Returns the session of the browser. If there is none, the sign-in page opens. */
export async function openSession(): Promise<ConsoleSession> {
  const described: Omit<ConsoleSession, "keys"> = await callAccounts("console", { method: "GET" });
  return { ...described, keys: await keptUserKeys(described.principalId) };
}

/** Gets an access token. It is never stored: the session of the browser gets another one. */
export function fetchToken(signal: AbortSignal): Promise<AccessToken> {
  return callAccounts("token", { method: "POST", signal });
}

/**
 * Says that the session has ended. The script of the accounts origin then locks the page, and opens the sign-in page, which comes back to
 * this page. Only that script does so: the browser cancels a navigation if another one begins, and the person's keys could stay in it.
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
  return fetch(`/account/api/${path}`, { ...init, headers });
}

async function callAccounts<Result>(path: string, init: RequestInit): Promise<Result> {
  const response = await fetchAccount(path, init).catch(() => Promise.reject(noAnswerError()));
  if (response.ok) return response.json();
  if (response.status === 401) return sessionEnded();
  throw await accountErrorOf(response);
}
