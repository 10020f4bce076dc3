import type { IncomingHttpHeaders } from "node:http";
import { rpcError } from "../services/rpc-error.js";
import { createRepresentations, type Document, quality } from "./representations.js";
import { type Answer, sendable } from "./response-headers.js";

/**
 * Documents by path. A value is a fixed document, or a function that is called with every request and returns the current
 * document. The path `/docs/*` is for all paths below `/docs/` that have neither a document nor an operation: a page that says so. Of
 * several such paths, the longest one counts.
 *
 * The bytes, the ETag and the compressed forms are created once per `Document` object. A function should therefore return
 * the same object until the content changes.
 */
export type Documents = ReadonlyMap<string, Document | ((request: DocumentRequest) => Document)>;

/** The part of a request that selects the form of a document. */
export interface DocumentRequest {
  readonly verb: string;
  /** The requested path, with the base path and without the query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
}

/**
 * Creates a function that returns the responses for documents: with a strong ETag, 304 when the caller has the current
 * version, and compressed when the caller accepts it (RFC 9110 sections 8.8.3, 13.1.2 and 12.5.3). Documents for any origin also
 * answer preflight requests. OPTIONS gets 204 for a document with 200, otherwise the document, such as 503 of a process that is not ready.
 */
export function createDocumentReader() {
  const representationsOf = createRepresentations();

  /**
   * Returns the response for a document, or undefined when the document is not served to this request.
   *
   * @throws RpcError METHOD_NOT_ALLOWED for any verb but GET, HEAD and OPTIONS.
   */
  return function read(
    entry: Document | ((request: DocumentRequest) => Document),
    request: DocumentRequest,
  ): Answer | undefined {
    const { verb, headers } = request;
    const document = typeof entry === "function" ? entry(request) : entry;
    const { status, contentType, cacheControl = "no-store", onlyIfAccepted = false, anyOrigin = false } = document;
    const reads = verb === "GET" || verb === "HEAD";
    const mediaType = contentType.replace(/;.*$/s, "");
    // Proxies ask like this whether a process is ready. A browser that asks for a page of another origin names a method.
    const probes = verb === "OPTIONS" && headers["access-control-request-method"] === undefined;
    if (anyOrigin && verb === "OPTIONS") return { status: 204, headers: preflightHeaders, body: "", anyOrigin };
    if (probes && status === 200) return optionsAnswer;
    if (onlyIfAccepted && (!reads || quality(headers.accept, mediaType) === 0)) return undefined;
    if (!reads && !probes)
      throw rpcError("METHOD_NOT_ALLOWED", {
        message: "This path has a document. Read it with GET or HEAD.",
        headers: { Allow: "GET, HEAD" },
      });

    const made = representationsOf(document);
    const common = { "Cache-Control": cacheControl, ...document.headers, ...made.vary };
    const matching = status === 200 ? made.matchingEtag(headers["if-none-match"]) : undefined;
    if (matching !== undefined)
      return { status: 304, headers: flat({ ETag: matching, ...common }), body: "", anyOrigin };
    const { body, etag, coding } = made.choose(headers["accept-encoding"]);
    const own = {
      "Content-Type": contentType,
      ...(coding !== undefined && { "Content-Encoding": coding }),
      ...(status === 200 && { ETag: etag }),
    };
    return { status, headers: flat({ ...own, ...common }), body, anyOrigin, shared: true };
  };
}

export type DocumentReader = ReturnType<typeof createDocumentReader>;

export type FindDocument = (path: string) => Document | ((request: DocumentRequest) => Document) | undefined;

/** Creates the function that finds the document of a path, or the one for all paths below one of its folders. */
export function createFindDocument(documents: Documents): FindDocument {
  const folders = [...documents.keys()]
    .filter((path) => path.endsWith("/*"))
    .map((path) => ({ path, start: path.slice(0, -1) }))
    .toSorted((one, other) => other.start.length - one.start.length);
  return (path) => {
    const document = documents.get(path);
    if (document !== undefined) return document;
    const folder = folders.find(({ start }) => path.startsWith(start));
    return folder && documents.get(folder.path);
  };
}

/** The answer to OPTIONS without a preflight request: the methods of every document (RFC 9110 section 9.3.7). */
export const optionsAnswer: Answer = { status: 204, headers: ["Allow", "GET, HEAD, OPTIONS"], body: "" };

/** The answer to a preflight request. The wildcard allows every header but Authorization (Fetch Standard). */
export const preflightHeaders = [
  ...["Access-Control-Allow-Methods", "GET, HEAD"],
  ...["Access-Control-Allow-Headers", "*"],
  ...["Access-Control-Max-Age", "7200"],
];

function flat(headers: Readonly<Record<string, string>>): string[] {
  return sendable(Object.entries(headers).flat());
}

/**
 * Creates a JSON document.
 *
 * @example
 * ```ts
 * import { jsonDocument } from "@platform-rpc/server";
 *
 * const documents = new Map([["/.well-known/jwks.json", jsonDocument(200, keyRing.jwks(), "max-age=600")]]);
 * console.log(documents.get("/.well-known/jwks.json")?.contentType);
 * // application/json
 * ```
 */
export function jsonDocument(status: number, value: unknown, cacheControl = "no-store"): Document {
  return { status, contentType: "application/json", body: JSON.stringify(value), cacheControl };
}
