// What needs no module of Node, for code that also runs at the edge: a separate entry.

/**
 * Creates a queue that runs at most `perTurn` tasks in a turn of the event loop. When thousands of connections time out at
 * the same moment, other callers are served in between.
 */
export function createSpread(perTurn: number): (task: () => void) => void {
  let tasks: (() => void)[] = [];
  let taken = 0;
  const runSome = () => {
    const until = Math.min(taken + perTurn, tasks.length);
    while (taken < until) {
      const task = tasks[taken];
      taken += 1;
      task?.();
    }
    if (taken < tasks.length) {
      setImmediate(runSome);
      return;
    }
    tasks = [];
    taken = 0;
  };
  return (task) => {
    tasks.push(task);
    if (tasks.length === 1) setImmediate(runSome);
  };
}

/** The longest delay of a timer, in milliseconds: about 25 days. A timer with a longer delay, such as Infinity, fires at once. */
export const longestTimerMs = 2 ** 31 - 1;

/** The parts of a request's head that say where the request ends and whom it is for. */
export interface MessageHead {
  readonly httpVersion: string;
  /** The Host headers, joined with `, `. Undefined if there is none. */
  readonly host: string | undefined;
  /** The Transfer-Encoding headers, joined with `, `. Undefined if there is none. */
  readonly transferEncoding: string | undefined;
}

// RFC 3986 section 3.2: a name, which may be empty, an IPv4 address or an IP literal, then an optional port.
const hostPattern = /^(?:[A-Za-z0-9._~!$&'()*+,;=%-]*|\[[0-9A-Fa-f:.]+\])(?::[0-9]*)?$/;

/**
 * Returns why a request that Node's parser accepts is not well-formed HTTP, or has a transfer coding other than chunked; undefined
 * if it is well-formed.
 *
 * @see RFC 9112 sections 3.2 (Host) and 6.1 (Transfer-Encoding)
 */
export function faultOf({
  httpVersion,
  host,
  transferEncoding,
}: MessageHead): "MALFORMED_HTTP" | "ENCODING_UNSUPPORTED" | undefined {
  // The parser also accepts 0.9 and 2.0 on a request line.
  if (httpVersion !== "1.1" && httpVersion !== "1.0") return "MALFORMED_HTTP";
  // HTTP/1.0 has no Host header. Two Host headers are joined with ", ", which the pattern rejects.
  const hasHost = host === undefined ? httpVersion === "1.0" : hostPattern.test(host);
  if (!hasHost) return "MALFORMED_HTTP";
  if (transferEncoding === undefined) return undefined;
  // If the last coding is not "chunked", the end of the body is unknown. Codings before it are valid but not supported.
  if (httpVersion === "1.0" || !/(?:^|,)[ \t]*chunked$/i.test(transferEncoding)) return "MALFORMED_HTTP";
  return /^chunked$/i.test(transferEncoding) ? undefined : "ENCODING_UNSUPPORTED";
}
