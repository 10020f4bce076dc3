/** The limits of a door. All times are milliseconds, all sizes bytes. */
export interface Limits {
  /** The largest body. */
  readonly bodyBytes: number;
  /** The largest request line and headers, together. */
  readonly headerBytes: number;
  /** The time for a call that names none in Connect-Timeout-Ms. */
  readonly defaultTimeoutMs: number;
  /** The longest time for a call: longer ones are clamped, not refused. */
  readonly longestTimeoutMs: number;
  /** The time in which a request must have been sent, headers and body. */
  readonly receiveTimeoutMs: number;
  /** How long a connection may idle between requests. */
  readonly keepAliveMs: number;
  /** How much of a refused body is read so that the answer arrives. */
  readonly drainBytes: number;
  /** How long a refused body is read so that the answer arrives. */
  readonly drainMs: number;
}

/** What a door holds to where its options say nothing else. */
export const defaultLimits: Limits = {
  bodyBytes: 64 * 1024,
  headerBytes: 16 * 1024,
  defaultTimeoutMs: 15_000,
  longestTimeoutMs: 30_000,
  receiveTimeoutMs: 10_000,
  keepAliveMs: 65_000,
  drainBytes: 1024 * 1024,
  drainMs: 2_000,
};
