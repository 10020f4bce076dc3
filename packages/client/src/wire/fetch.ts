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
