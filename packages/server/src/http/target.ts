/** The path and query of a request target. */
export interface Target {
  readonly path: string;
  /** Without the question mark; empty when there is none. */
  readonly query: string;
}

/** Splits a request target, in origin or in absolute form (RFC 9112 section 3.2). The path stays as it was sent. */
export function parseTarget(target: string): Target {
  const origin = target.startsWith("/") ? target : target.replace(/^https?:\/\/[^/?#]*/i, "");
  const mark = origin.indexOf("?");
  return mark === -1 ? { path: origin, query: "" } : { path: origin.slice(0, mark), query: origin.slice(mark + 1) };
}
