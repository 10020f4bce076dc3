import { refuse } from "../rpc/refusal.js";
import type { Answer } from "./http-exchange.js";

/** Something to read by GET, beside the operations: health, keys. */
export interface Document {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
  /** Default: no-store. */
  readonly cacheControl?: string;
}

/** Documents by path, each made anew for every request. */
export type Documents = ReadonlyMap<string, () => Document>;

/** The answer for a document. @throws Refusal METHOD_NOT_ALLOWED for any verb but GET and HEAD. */
export function readDocument(document: () => Document, verb: string): Answer {
  if (verb !== "GET" && verb !== "HEAD") throw refuse("METHOD_NOT_ALLOWED", { headers: { Allow: "GET, HEAD" } });
  const { status, contentType, body, cacheControl = "no-store" } = document();
  return { status, headers: ["Content-Type", contentType, "Cache-Control", cacheControl], body };
}

/** A JSON document. */
export function jsonDocument(status: number, value: unknown, cacheControl = "no-store"): Document {
  return { status, contentType: "application/json", body: JSON.stringify(value), cacheControl };
}
