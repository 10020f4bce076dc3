/** In bytes, decompressed. The largest answer of the contract takes less than a tenth of it. */
const maxAnswerBytes = 2 ** 20;

/** An answer over HTTP, read whole. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** Empty when the answer is longer than 1 MiB. */
  readonly text: string;
}

/** Where and how to send a request. */
export interface HttpTarget {
  readonly baseUrl: string;
  readonly fetch: typeof globalThis.fetch | undefined;
}

/**
 * Sends the JSON of a request to an operation once (Connect protocol, "Unary-Request"). Rejects when no answer arrives. Does not
 * follow redirects, which would send the token elsewhere.
 */
export async function postJson(
  { baseUrl, fetch = globalThis.fetch }: HttpTarget,
  operation: string,
  init: { readonly headers: Headers; readonly body: string; readonly signal: AbortSignal },
): Promise<HttpAnswer> {
  init.headers.set("Content-Type", "application/json");
  init.headers.set("Connect-Protocol-Version", "1");
  const response = await fetch(`${baseUrl}/${operation}`, { ...init, method: "POST", redirect: "manual" });
  return { status: response.status, headers: response.headers, text: await readText(response) };
}

/** The text of an answer; empty when it is too long. The rest is canceled when the attempt ends. */
async function readText(response: Response): Promise<string> {
  const { body, headers } = response;
  // No content, or a `fetch` without streams.
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
