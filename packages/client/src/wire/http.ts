import { hasFunctions } from "@platform-rpc/options";

/**
 * The part of `fetch` that the client uses. The global `fetch`, that of undici, and the result of `createUndiciFetch` from
 * `@platform-rpc/client/undici` have it.
 */
export type Fetch = (url: string, init: FetchInit) => Promise<FetchResponse>;

/** A request, as `fetch` takes it. */
export interface FetchInit {
  readonly method: "POST";
  /** By lower-case name. */
  readonly headers: Record<string, string>;
  readonly body: string;
  readonly signal: AbortSignal;
  /** A redirect is not followed: it would send the token elsewhere. */
  readonly redirect: "manual";
}

/** A response, as `fetch` returns it. */
export interface FetchResponse {
  readonly status: number;
  readonly headers: ResponseHeaders;
  /** The chunks of the body; null if there is no body, or if only `text` reads it. */
  readonly body: FetchBody | null;
  /** Reads the whole body as UTF-8. */
  text(): Promise<string>;
}

/** The body of a response, a stream. */
export interface FetchBody {
  /** Locks the body and returns its only reader. */
  getReader(): FetchReader;
}

/** Reads a body in chunks. */
export interface FetchReader {
  /** Reads the next chunk, or the end. */
  read(): Promise<FetchChunk>;
}

/** The headers of a response: the part of `Headers` that those of every `fetch` have. */
export interface ResponseHeaders extends Iterable<[string, string]> {
  /** Returns the value of a header, or null; those of a repeated one are joined with `, `. */
  get(name: string): string | null;
  /** Returns whether there is such a header. */
  has(name: string): boolean;
}

/** A part of a body, or its end. */
export type FetchChunk =
  | { readonly done: false; readonly value: Uint8Array }
  | { readonly done: true; readonly value?: Uint8Array | undefined };

/** In bytes, decompressed. The largest response of the contract is less than a tenth of it. */
export const maxAnswerBytes: number = 2 ** 20;

/** Thrown when the option `fetch` is a function of another kind, such as axios. */
export class NoResponseError extends Error {}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: ResponseHeaders;
  /** The body. Empty when it is larger than 1 MiB. */
  readonly text: string;
}

export interface HttpTarget {
  readonly baseUrl: string;
  readonly fetch: Fetch | undefined;
}

/**
 * Sends a JSON request to an operation once (Connect protocol, "Unary-Request"). Rejects when no response arrives. Does not
 * follow redirects, which would send the token elsewhere.
 */
export async function postJson(
  // Without `globalThis.`, so that the error in a runtime without it names it.
  { baseUrl, fetch: send = fetch }: HttpTarget,
  operation: string,
  init: { readonly headers: Readonly<Record<string, string>>; readonly body: string; readonly signal: AbortSignal },
): Promise<HttpAnswer> {
  const headers = { ...init.headers, "content-type": "application/json", "connect-protocol-version": "1" };
  const response = await send(`${baseUrl}/${operation}`, { ...init, headers, method: "POST", redirect: "manual" });
  if (!hasFunctions(response, "text") || !hasFunctions(response.headers, "get", "has")) throw new NoResponseError();
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
