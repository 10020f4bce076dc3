import type { Fetch, FetchResponse, ResponseHeaders } from "./fetch.js";

/** In bytes, decompressed. The largest response of the contract is less than a tenth of it. */
export const maxAnswerBytes: number = 2 ** 20;

/** An HTTP response with its whole body. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: ResponseHeaders;
  /** The body. Empty when it is larger than 1 MiB. */
  readonly text: string;
}

/** Where and how to send a request. */
export interface HttpTarget {
  readonly baseUrl: string;
  readonly fetch: Fetch | undefined;
}

/**
 * Sends a JSON request to an operation once (Connect protocol, "Unary-Request"). Rejects when no response arrives. Does not
 * follow redirects, which would send the token elsewhere.
 */
export async function postJson(
  { baseUrl, fetch = globalThis.fetch }: HttpTarget,
  operation: string,
  init: { readonly headers: Readonly<Record<string, string>>; readonly body: string; readonly signal: AbortSignal },
): Promise<HttpAnswer> {
  const headers = { ...init.headers, "content-type": "application/json", "connect-protocol-version": "1" };
  const response = await fetch(`${baseUrl}/${operation}`, { ...init, headers, method: "POST", redirect: "manual" });
  return { status: response.status, headers: response.headers, text: await readText(response) };
}

/** Returns the body of a response; empty when it is too large. The rest is canceled when the attempt fails. */
export async function readText(response: FetchResponse): Promise<string> {
  const { body, headers } = response;
  // The response has no content, or `fetch` does not support streams.
  if (!body) return response.text();
  if (Number(headers.get("Content-Length")) > maxAnswerBytes) return "";
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = "";
  for (let size = 0; size <= maxAnswerBytes; ) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    size += value.byteLength;
    text += decoder.decode(value, { stream: true });
  }
  return "";
}
