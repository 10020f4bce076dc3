import { requireOptions, withFunctions } from "@platform-rpc/options";
import { type Dispatcher, request } from "undici";
import { type Fetch, type FetchResponse, maxAnswerBytes } from "../wire/http.js";

/** Options of {@link createUndiciFetch}. */
export interface UndiciFetchOptions {
  /** Sends the requests: an `Agent`, `Pool` or `ProxyAgent` of undici. Default: undici's global dispatcher. */
  readonly dispatcher?: Dispatcher | undefined;
}

/**
 * Creates a `fetch` for clients on Node that sends requests with undici's `request` function. It takes less than half of the CPU
 * time of the global `fetch`. It does not ask for compressed responses.
 *
 * @example
 * ```ts
 * import { createPlatformClient } from "@platform-rpc/client/json";
 * import { createUndiciFetch } from "@platform-rpc/client/undici";
 *
 * const agent = createPlatformClient({ baseUrl, token, fetch: createUndiciFetch() });
 * ```
 *
 * @throws TypeError that names each invalid option and what is expected.
 */
export function createUndiciFetch(options: UndiciFetchOptions = {}): Fetch {
  requireOptions("createUndiciFetch", options, { dispatcher: withFunctions("dispatch") });
  const { dispatcher } = options;
  return async (url, { method, headers, body, signal }) => {
    const response = await request(url, { method, headers, body, signal, ...(dispatcher && { dispatcher }) });
    const received = headersOf(response.headers);
    return {
      status: response.statusCode,
      headers: received,
      // A short body is read in one piece. It is not decompressed, so it cannot be longer than its Content-Length.
      body: isShort(received) ? null : readerOf(response.body),
      text: () => response.body.text(),
    };
  };
}

function headersOf(received: Dispatcher.ResponseData["headers"]): Headers {
  const headers = new Headers();
  for (const [name, values = []] of Object.entries(received)) {
    for (const value of [values].flat()) headers.append(name, value);
  }
  return headers;
}

function isShort(headers: Headers): boolean {
  const length = headers.get("Content-Length");
  return length !== null && Number(length) <= maxAnswerBytes;
}

function readerOf(body: AsyncIterable<Uint8Array>): FetchResponse["body"] {
  const chunks = body[Symbol.asyncIterator]();
  return {
    getReader: () => ({
      async read() {
        const chunk = await chunks.next();
        return chunk.done ? { done: true } : { done: false, value: chunk.value };
      },
    }),
  };
}
