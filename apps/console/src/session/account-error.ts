/** An error of an endpoint of the accounts origin. The message is for the person. */
export class AccountError extends Error {
  override readonly name = "AccountError";

  constructor(
    /** Such as `SIGN_IN_AGAIN`. Empty if there is none. */
    readonly reason: string,
    message: string,
    /** Identifies the call in the log of the server. Empty if no response arrived. */
    readonly requestId = "",
  ) {
    super(message);
  }
}

export function noAnswerError(): AccountError {
  return new AccountError("", "The server did not answer. Check your network, and try again.");
}

export async function accountErrorOf(response: Response): Promise<AccountError> {
  const isJson = response.headers.get("Content-Type")?.startsWith("application/json") === true;
  const { reason = "", message = `The server responded with status ${response.status}. Try again in a minute.` } =
    isJson ? await response.json() : {};
  return new AccountError(reason, message, response.headers.get("X-Request-Id") ?? "");
}
