import { fetchAccount, leaveToSignIn } from "./session.js";

/** An error of an endpoint of the accounts origin. The message is for the person. */
export class AccountError extends Error {
  override readonly name = "AccountError";

  constructor(
    /** Such as `SIGN_IN_AGAIN`. Empty if the response has none. */
    readonly reason: string,
    message: string,
  ) {
    super(message);
  }
}

/**
 * Calls an endpoint of the accounts origin with the session of the browser: GET, or POST with a body. Opens the sign-in page if the
 * session has ended.
 *
 * @throws AccountError (as a rejection)
 */
export async function callAccount<Result>(path: string, body?: object): Promise<Result> {
  const headers = { "Content-Type": "application/json" };
  const init = body === undefined ? {} : { method: "POST", headers, body: JSON.stringify(body) };
  const response = await fetchAccount(path, init).catch(() => undefined);
  if (response === undefined)
    throw new AccountError("", "The server did not answer. Check your network, and try again.");
  const isJson = response.headers.get("Content-Type")?.startsWith("application/json") === true;
  if (response.ok && isJson) return response.json();
  const { reason = "", message = `The server responded with status ${response.status}. Try again in a minute.` } =
    isJson ? await response.json() : {};
  return reason === "SIGNED_OUT" ? leaveToSignIn() : Promise.reject(new AccountError(reason, message));
}
