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

/** The text of an answer; empty when it is too long, and then not read to its end. */
async function readText(response: Response): Promise<string> {
  // No content, or a `fetch` without streams.
  if (!response.body) return response.text();
  const reader = response.body.getReader();
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  if (Number(response.headers.get("Content-Length")) <= maxAnswerBytes) {
    while (size <= maxAnswerBytes) {
      const { done, value } = await reader.read();
      if (done) return new Blob(chunks).text();
      size += value.byteLength;
      chunks.push(value);
    }
  }
  // The rest is canceled when the attempt ends.
  return "";
}
