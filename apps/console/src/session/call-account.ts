import { accountErrorOf, noAnswerError } from "./account-error.js";
import { fetchAccount, leaveToSignIn } from "./session.js";

/**
 * Calls an endpoint of the accounts origin with the session of the browser: GET, or POST with a body. Opens the sign-in page if the
 * session has ended.
 *
 * @throws AccountError (as a rejection)
 */
export async function callAccount<Result>(path: string, body?: object): Promise<Result> {
  const headers = { "Content-Type": "application/json" };
  const init = body === undefined ? {} : { method: "POST", headers, body: JSON.stringify(body) };
  const response = await fetchAccount(path, init).catch(() => Promise.reject(noAnswerError()));
  const isJson = response.headers.get("Content-Type")?.startsWith("application/json") === true;
  if (response.ok && isJson) return response.json();
  const error = await accountErrorOf(response);
  return error.reason === "SIGNED_OUT" ? leaveToSignIn() : Promise.reject(error);
}
