import type { Document } from "@platform-rpc/server";
import type { DocumentRequest } from "@platform-rpc/server/host";
import { parseAccept } from "hono/utils/accept";

/** A document of the app, or a function that returns the current one for a request. */
export type AppDocument = Document | ((request: DocumentRequest) => Document);

/** Caches a document until its value changes. Returning the same object lets the listener encode it only once. */
export function liveDocument(read: () => string, make: (value: string) => Document): () => Document {
  let made: { readonly value: string; readonly document: Document } | undefined;
  return () => {
    const value = read();
    if (made?.value !== value) made = { value, document: make(value) };
    return made.document;
  };
}

export function isRead({ verb }: DocumentRequest): boolean {
  return verb === "GET" || verb === "HEAD";
}

export function acceptsHtml(request: DocumentRequest): boolean {
  return accepts(request, "text/html");
}

/** Returns whether the Accept header names a media type. A wildcard does not count: programs send it whatever they can read. */
export function accepts({ headers }: Pick<DocumentRequest, "headers">, mediaType: string): boolean {
  return parseAccept(headers.accept ?? "").some(({ type, q }) => type.toLowerCase() === mediaType && q > 0);
}
