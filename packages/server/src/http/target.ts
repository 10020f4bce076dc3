/** The path and query of a request target. */
export interface Target {
  readonly path: string;
  /** Without the question mark; empty if the target has no query. */
  readonly query: string;
  /** The host and port of a target in absolute form; undefined in origin form, where the Host header contains them. */
  readonly authority: string | undefined;
}

/** Splits a request target in origin or absolute form (RFC 9112 section 3.2). The path is not normalized. */
export function parseTarget(target: string): Target {
  const authority = target.startsWith("/") ? undefined : /^https?:\/\/([^/?#]*)/i.exec(target)?.[1];
  const origin = authority === undefined ? target : target.slice(target.indexOf("//") + 2 + authority.length);
  const mark = origin.indexOf("?");
  return mark === -1
    ? { path: origin, query: "", authority }
    : { path: origin.slice(0, mark), query: origin.slice(mark + 1), authority };
}
