import type { ApiErrorBody } from "../http/api-error.js";

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

/** Calls an endpoint of this origin. @throws ApiError (as a rejection) */
export async function callApi<Result>(path: string, body: object): Promise<Result> {
  const init = { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) };
  const response = await fetch(`/account/api/${path}`, init).catch(() => undefined);
  if (response === undefined) throw new ApiError("The server did not answer. Check your network, and try again.");
  const isJson = response.headers.get("Content-Type")?.startsWith("application/json") === true;
  if (response.ok && isJson) return response.json();
  const { message = "The server is not available. Try again in a minute.", reason }: Partial<ApiErrorBody> = isJson
    ? await response.json()
    : {};
  throw new ApiError(message, reason, response.status >= 400 && response.status < 500 && response.status !== 429);
}
