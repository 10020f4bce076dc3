/** The trace that a request belongs to. */
export interface TraceParent {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** Whether the caller records the trace. */
  readonly sampled: boolean;
}

// Version ff and ids of zeros are invalid. Versions after 00 may have more fields.
const pattern = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]([0-9a-f])(?:-.*)?$/;

/** Reads a traceparent header. Returns undefined if it is missing or invalid (W3C Trace Context section 3.2). */
export function readTraceParent(header: string | undefined): TraceParent | undefined {
  const found = header === undefined ? null : pattern.exec(header);
  if (found === null || (header?.startsWith("00") && header.length !== 55)) return undefined;
  const [, traceId = "", flags = ""] = found;
  return { traceId, sampled: Number.parseInt(flags, 16) % 2 === 1 };
}
