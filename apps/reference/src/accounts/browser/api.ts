import type { ApiErrorBody } from "../http/api-error.js";

/** Calls an endpoint of this origin. @throws Error (as a rejection) with a message for the person */
export async function callApi<Result>(path: string, body: object): Promise<Result> {
  const init = { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) };
  const response = await fetch(`/account/api/${path}`, init).catch(() => undefined);
  if (response === undefined) throw new Error("The server did not answer. Check your network, and try again.");
  const isJson = response.headers.get("Content-Type")?.startsWith("application/json") === true;
  if (response.ok && isJson) return response.json();
  const { message = "The server is not available. Try again in a minute." }: Partial<ApiErrorBody> = isJson
    ? await response.json()
    : {};
  throw new Error(message);
}
