/** The path and query of a request target. */
export interface Target {
  readonly path: string;
  /** Without the question mark; empty when there is none. */
  readonly query: string;
  /** The host and port of a target in absolute form; undefined in origin form, where the Host header has them. */
  readonly authority: string | undefined;
}

/** Splits a request target, in origin or in absolute form (RFC 9112 section 3.2). The path stays as it was sent. */
export function parseTarget(target: string): Target {
  const authority = target.startsWith("/") ? undefined : /^https?:\/\/([^/?#]*)/i.exec(target)?.[1];
  const origin = authority === undefined ? target : target.slice(target.indexOf("//") + 2 + authority.length);
  const mark = origin.indexOf("?");
  return mark === -1
    ? { path: origin, query: "", authority }
    : { path: origin.slice(0, mark), query: origin.slice(mark + 1), authority };
}
