/**
 * Sends the JSON of a request to an operation, once (Connect protocol, "Unary-Request"), and resolves with the answer and its
 * text. Rejects when none arrives. Does not follow redirects, which would take the token elsewhere: they are answers, but none
 * of the platform's.
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
  return [response, await response.text()];
};
