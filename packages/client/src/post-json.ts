/** In bytes, decompressed. The largest answer of the contract takes less than a tenth of it. */
const longestAnswer = 2 ** 20;

/** The text of an answer. Empty when it is too long: it is not read to its end, and is none of the platform's. */
const readText = async (response: Response): Promise<string> => {
  const { body, headers } = response;
  // No content, or a `fetch` without streams.
  if (!body) return response.text();
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = "";
  let size = Number(headers.get("Content-Length")) > longestAnswer ? Number.POSITIVE_INFINITY : 0;
  while (size <= longestAnswer) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    size += value.byteLength;
    text += decoder.decode(value, { stream: true });
  }
  reader.cancel().catch(() => undefined);
  return "";
};

/**
 * Sends the JSON of a request to an operation, once (Connect protocol, "Unary-Request"), and resolves with the answer and its
 * text, which is empty when the answer is longer than 1 MiB. Rejects when none arrives. Does not follow redirects, which would
 * take the token elsewhere: they are answers, but none of the platform's.
 */
export const postJson = async (
  fetch = globalThis.fetch,
  url: string,
  body: string,
  headers: Headers,
  signal: AbortSignal,
): Promise<[response: Response, text: string]> => {
  headers.set("Content-Type", "application/json");
  headers.set("Connect-Protocol-Version", "1");
  const response = await fetch(url, { method: "POST", headers, body, signal, redirect: "manual" });
  return [response, await readText(response)];
};
