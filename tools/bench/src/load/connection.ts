import { connect } from "node:net";
import { readAnswer } from "./answer.ts";

/** One connection with one request in flight. */
export interface Connection {
  /** Sends the bytes of a request. Calls `answered` with the bytes of the whole response. */
  send(request: Buffer, answered: (response: Buffer) => void): void;
  close(): void;
}

/**
 * Connects with a plain socket. A full HTTP client would need more CPU than the measured servers.
 *
 * @param failed called with an error of the open connection, or when the server closes it.
 */
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
