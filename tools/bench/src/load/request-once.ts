import { readAnswer } from "./answer.ts";
import { openConnection } from "./connection.ts";

/** What a caller reads from a response. */
export interface Answered {
  readonly status: number;
  /** The media type, without parameters. */
  readonly contentType: string;
  readonly body: unknown;
}

/** Sends one request on a new connection. */
export async function requestOnce(port: number, request: Buffer): Promise<Answered> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const connection = await openConnection(port, reject);
  connection.send(request, resolve);
  const response = await promise.finally(connection.close);
  const head = readAnswer(response)?.head ?? "";
  return {
    status: Number(head.slice(9, 12)),
    contentType: /\r\ncontent-type: ([^;\r]*)/i.exec(head)?.[1]?.trim() ?? "",
    body: JSON.parse(response.subarray(head.length + 4).toString("utf8")),
  };
}
