import type { DocumentRequest } from "@platform-rpc/server/host";
import { parseAccept } from "hono/utils/accept";

/** Returns whether a request reads a document, with GET or HEAD. */
export function isRead({ verb }: DocumentRequest): boolean {
  return verb === "GET" || verb === "HEAD";
}

/** Returns whether the Accept header names HTML, as browsers do. A wildcard does not count: programs send it, too. */
export function acceptsHtml({ headers }: DocumentRequest): boolean {
  return parseAccept(headers.accept ?? "").some(({ type, q }) => type.toLowerCase() === "text/html" && q > 0);
}
