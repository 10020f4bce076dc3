import { connect } from "node:net";

interface Answer {
  /** The status line and the headers, up to the empty line. */
  readonly head: string;
  /** The size of the whole response in bytes. */
  readonly size: number;
}

/** The heads of all measured responses are shorter. */
const longestHead = 2048;

const lastChunk = "\r\n0\r\n\r\n";

/** Reads the head of a response from the first bytes received. Returns undefined until the head, or a chunked response, is complete. */
function readAnswer(bytes: Buffer): Answer | undefined {
  const text = bytes.toString("latin1", 0, Math.min(bytes.length, longestHead));
  const end = text.indexOf("\r\n\r\n");
  if (end === -1) return undefined;
  const head = text.slice(0, end);
  if (/\r\ntransfer-encoding: chunked/i.test(head)) {
    const isComplete = bytes.toString("latin1", bytes.length - lastChunk.length) === lastChunk;
    return isComplete ? { head, size: bytes.length } : undefined;
  }
  const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1];
  if (length === undefined) throw new Error(`The response has no Content-Length, which the load needs:\n${head}`);
  return { head, size: end + 4 + Number(length) };
}

export interface Connection {
  /** Sends the bytes of a request. Calls `answered` with the bytes of the whole response. */
  send(request: Buffer, answered: (response: Buffer) => void): void;
  close(): void;
}

/** Connects with a plain socket: an HTTP client would need more CPU than the servers. `failed` is called when the connection ends. */
export function openConnection(port: number, failed: (error: Error) => void): Promise<Connection> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: "127.0.0.1", noDelay: true });
    let received: Buffer = Buffer.alloc(0);
    let answered: (response: Buffer) => void = () => {};
    socket.once("error", reject);
    socket.on("end", () => failed(new Error(`The server at port ${port} closed a connection during the measurement.`)));
    socket.on("data", (chunk) => {
      received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
      const answer = readAnswer(received);
      if (answer === undefined || received.length < answer.size) return;
      const response = received;
      received = Buffer.alloc(0);
      answered(response);
    });
    socket.once("connect", () => {
      socket.off("error", reject).on("error", failed);
      resolve({
        send(request, whenAnswered) {
          answered = whenAnswered;
          socket.write(request);
        },
        close: () => socket.destroy(),
      });
    });
  });
}

export interface Answered {
  readonly status: number;
  /** The media type, without parameters. */
  readonly contentType: string;
  readonly body: unknown;
}

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

export function deleteItemRequest(vaultId: string, itemId: string, token: string, baseVersion = 1): Buffer {
  return requestOf("/platform.v1.VaultService/DeleteItem", { vaultId, itemId, baseVersion }, token);
}

export function requestOf(path: string, message: object, token: string): Buffer {
  const body = JSON.stringify(message);
  return Buffer.from(
    [
      `POST ${path} HTTP/1.1`,
      "Host: 127.0.0.1",
      "User-Agent: bench",
      `Authorization: Bearer ${token}`,
      "Content-Type: application/json",
      "Connect-Protocol-Version: 1",
      `Content-Length: ${Buffer.byteLength(body)}`,
      "",
      body,
    ].join("\r\n"),
  );
}
