/** A response of a server under load. */
export interface Answer {
  /** The status line and the headers, up to the empty line. */
  readonly head: string;
  /** The size of the whole response in bytes. */
  readonly size: number;
}

/** The heads of all measured responses are shorter. */
const longestHead = 1024;

/** Reads the head of a response from the first bytes received. Returns undefined until the head is complete. */
export function readAnswer(bytes: Buffer): Answer | undefined {
  const text = bytes.toString("latin1", 0, Math.min(bytes.length, longestHead));
  const end = text.indexOf("\r\n\r\n");
  if (end === -1) return undefined;
  const head = text.slice(0, end);
  const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1];
  if (length === undefined) throw new Error(`The response has no Content-Length, which the load needs:\n${head}`);
  return { head, size: end + 4 + Number(length) };
}
