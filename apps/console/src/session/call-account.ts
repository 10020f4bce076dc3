import { reportUnlocking } from "@platform-rpc/accounts/browser/api";
import { AccountError, accountErrorOf, noAnswerError } from "./account-error.js";
import { fetchAccount, sessionEnded } from "./session.js";

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
  if (response.ok && isJson) {
    reportUnlocking(path);
    return response.json();
  }
  throw await accountErrorOf(response);
}

/** Opens the sign-in page if an error says that the session has ended. Rejects with every other error. */
export function signInOrReject(error: unknown): Promise<never> {
  return error instanceof AccountError && error.reason === "SIGNED_OUT" ? sessionEnded() : Promise.reject(error);
}
