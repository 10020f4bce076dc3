/** One HTTP response, as received. */
export interface WireAnswer {
  readonly status: number;
  /** Names in lower case, in the order received. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string;
  /** Returns the value of a header, or undefined when it is absent. The values of a repeated header are joined. */
  header(name: string): string | undefined;
  /** Parses the body as JSON. */
  json(): unknown;
}

/** Parses the first complete response in the bytes, and returns it with its length; undefined if it is incomplete. */
export function parseAnswer(
  received: Buffer,
  head: boolean,
): { readonly answer: WireAnswer; readonly bytes: number } | undefined {
  const endOfHead = received.indexOf("\r\n\r\n");
  if (endOfHead === -1) return undefined;
  const [statusLine = "", ...lines] = received.toString("latin1", 0, endOfHead).split("\r\n");
  const status = Number(/^HTTP\/1\.1 ([0-9]{3})(?: |$)/.exec(statusLine)?.[1]);
  if (Number.isNaN(status)) throw new Error(`not a status line: ${statusLine}`);
  const headers = lines.map((line) => {
    const colon = line.indexOf(":");
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const;
  });
  const header = (wanted: string) => {
    const values = headers.filter(([name]) => name === wanted.toLowerCase()).map(([, value]) => value);
    return values.length === 0 ? undefined : values.join(", ");
  };
  const bodiless = head || status < 200 || status === 204;
  const announced = header("content-length");
  if (!bodiless && announced === undefined) throw new Error("a response with a body has no Content-Length");
  const bytes = endOfHead + 4 + (bodiless ? 0 : Number(announced));
  if (received.length < bytes) return undefined;
  const body = received.toString("utf8", endOfHead + 4, bytes);
  return { answer: { status, headers, body, header, json: () => JSON.parse(body) }, bytes };
}
