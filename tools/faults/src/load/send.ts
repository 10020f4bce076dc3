import { request } from "undici";
import type { CallEnd } from "../history/journal.ts";
import type { Answer } from "./responses.ts";

/** How long a call may take, in milliseconds. */
const timeoutMs = 5_000;

export interface Sent extends Answer {
  /** The cookies that the response sets, as a later request sends them. */
  readonly cookies: string;
}

/** Sends a POST request. @throws if no response arrives in 5 s. */
export async function post(url: string, body: string, headers: Readonly<Record<string, string>>): Promise<Sent> {
  const response = await request(url, { method: "POST", headers, body, signal: AbortSignal.timeout(timeoutMs) });
  const set = [response.headers["set-cookie"] ?? []].flat();
  const cookies = set.map((cookie) => cookie.split(";")[0]).join("; ");
  return { status: response.statusCode, text: await response.body.text(), cookies };
}

/** Sends a Connect request with an access token. */
export function postConnect(
  url: string,
  body: object,
  { token, requestId }: { readonly token: string; readonly requestId: string },
): Promise<Sent> {
  return post(url, JSON.stringify(body), {
    authorization: `Bearer ${token}`,
    "content-type": "application/json",
    "connect-protocol-version": "1",
    "x-request-id": requestId,
  });
}

/** Errors before the first byte was sent. */
const unsent = new Set(["ECONNREFUSED", "ENOENT", "ENETUNREACH", "EHOSTUNREACH"]);

/** Returns the end of a call without a response. */
export function endOfFailedSend(error: unknown): CallEnd {
  const code = codeOf(error);
  return unsent.has(code) ? { refused: code } : { lost: code };
}

function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return "code" in error && typeof error.code === "string" ? error.code : error.name;
}
