import type { Interceptor, Transport } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-web";
import { parseBaseUrl } from "./base-url.js";
import { fetchOrTypeError } from "./fetch-or-type-error.js";
import { guardInterceptors } from "./interceptor-fault.js";

/** Where the platform is, and how it is reached over HTTP. */
export interface HttpOptions {
  /**
   * The URL of the platform, as `https://api.example.com` or with a path prefix. No credentials, query or fragment. Use
   * `http:` only where nobody listens: every call carries a token.
   */
  readonly baseUrl: string;
  /** Used in place of the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch;
  /** Interceptors of Connect, the outermost first. They see tokens and codes: do not log what they see. */
  readonly interceptors?: readonly Interceptor[];
}

/** The Connect protocol over `fetch`, in JSON. @throws TypeError when `baseUrl` is not acceptable. */
export function createHttpTransport({ baseUrl, fetch, interceptors = [] }: HttpOptions): Transport {
  return createConnectTransport({
    baseUrl: parseBaseUrl(baseUrl),
    useBinaryFormat: false,
    interceptors: guardInterceptors(interceptors),
    fetch: fetchOrTypeError(fetch),
  });
}
