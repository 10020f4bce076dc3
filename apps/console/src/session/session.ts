import { keptUserKeys } from "@platform-rpc/accounts/browser/kept-keys";
import type { UserKeys } from "@platform-rpc/accounts/keys/user-keys";
import type { AccessToken } from "@platform-rpc/client";
import { AccountError, accountErrorOf, noAnswerError } from "./account-error.js";
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
function sessionEnded(): Promise<never> {
  dispatchEvent(new Event("platform-session-ended"));
  return new Promise(() => {});
}

/** Opens the sign-in page, which then comes back to this page: the person is signed in, and must prove again who they are. */
export function proveAgain(): void {
  location.assign(`/sign-in?${new URLSearchParams({ again: "", next: location.pathname + location.search })}`);
}

/** Locks the page: the script of the accounts origin forgets the keys in this browser. */
export function lockNow(): void {
  dispatchEvent(new Event("platform-lock"));
}

/** Ends the session of the browser, as the form of the account page does. */
export function signOut(): void {
  const form = document.createElement("form");
  form.method = "post";
  form.action = "/sign-out";
  document.body.append(form);
  form.submit();
}

/** Asks the script of the accounts origin to check the session at once: a call was refused, for example because its token was revoked. */
export function checkSession(): void {
  dispatchEvent(new Event("platform-session-check"));
}

/**
 * Sends a request to an endpoint of the accounts origin, with the session of the browser. It does not extend the session while nobody
 * uses the page: the page asks for tokens and changes by itself.
 */
function fetchAccount(path: string, init: RequestInit): Promise<Response> {
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

/**
 * Calls an endpoint of the accounts origin with the session of the browser: GET, or POST with a body. If the session has ended, the
 * sign-in page opens, and the promise never settles.
 *
 * @throws AccountError (as a rejection)
 */
export function callAccount<Result>(path: string, body?: object): Promise<Result> {
  return requestAccount<Result>(path, body).catch(signInOrReject);
}

/** As {@link callAccount}. If the session has ended, it rejects, too: with the reason SIGNED_OUT. */
export async function requestAccount<Result>(path: string, body?: object): Promise<Result> {
  const headers = { "Content-Type": "application/json" };
  const init = body === undefined ? {} : { method: "POST", headers, body: JSON.stringify(body) };
  const response = await fetchAccount(path, init).catch(() => Promise.reject(noAnswerError()));
  const isJson = response.headers.get("Content-Type")?.startsWith("application/json") === true;
  if (response.ok && isJson) return response.json();
  throw await accountErrorOf(response);
}

/** Opens the sign-in page if an error says that the session has ended. Rejects with every other error. */
export function signInOrReject(error: unknown): Promise<never> {
  return error instanceof AccountError && error.reason === "SIGNED_OUT" ? sessionEnded() : Promise.reject(error);
}
