import { refuse } from "../rpc/refusal.js";
import type { Answer } from "./http-exchange.js";

/** Something to read by GET, beside the operations: health, keys, documentation. */
export interface Document {
  readonly status: number;
  readonly contentType: string;
  /** Bytes are sent as they are, text as UTF-8. */
  readonly body: string | Uint8Array;
  /** Default: no-store. */
  readonly cacheControl?: string;
  /** Further response headers, by name. Default: none. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Documents by path, each made anew for every request. */
export type Documents = ReadonlyMap<string, () => Document>;

/** The answer for a document. @throws Refusal METHOD_NOT_ALLOWED for any verb but GET and HEAD. */
export function readDocument(document: () => Document, verb: string): Answer {
  if (verb !== "GET" && verb !== "HEAD") {
    throw refuse("METHOD_NOT_ALLOWED", { message: "This is read by GET.", headers: { Allow: "GET, HEAD" } });
  }
  const { status, contentType, body, cacheControl = "no-store", headers = {} } = document();
  const all = { "Content-Type": contentType, "Cache-Control": cacheControl, ...headers };
  return { status, headers: Object.entries(all).flat(), body };
}

/**
 * A JSON document.
 *
 * @example
 * ```ts
 * import { jsonDocument } from "@platform/server";
 *
 * const documents = new Map([["/.well-known/jwks.json", () => jsonDocument(200, keyRing.jwks(), "max-age=600")]]);
 * console.log(documents.get("/.well-known/jwks.json")?.().contentType);
 * // application/json
 * ```
 */
export function jsonDocument(status: number, value: unknown, cacheControl = "no-store"): Document {
  return { status, contentType: "application/json", body: JSON.stringify(value), cacheControl };
}
