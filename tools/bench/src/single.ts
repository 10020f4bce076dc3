import { connect } from "node:net";

/** One connection with one request in flight. */
export interface SingleConnection {
  /** Sends the bytes of a request. Resolves with the milliseconds until the whole response has arrived. */
  time(request: Buffer): Promise<number>;
  close(): void;
}

/** Connects with a plain socket, so that no HTTP client is measured. */
export function connectSingle(port: number): Promise<SingleConnection> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: "127.0.0.1", noDelay: true });
    socket.once("error", reject);
    socket.once("connect", () =>
      resolve({
        time: (request) =>
          new Promise((answered) => {
            let text = "";
            const startedAt = performance.now();
            const read = (chunk: Buffer) => {
              text += chunk.toString("latin1");
              const head = text.indexOf("\r\n\r\n");
              const length = /content-length: (\d+)/i.exec(text)?.[1];
              if (head === -1 || length === undefined || text.length < head + 4 + Number(length)) return;
              socket.off("data", read);
              answered(performance.now() - startedAt);
            };
            socket.on("data", read);
            socket.write(request);
          }),
        close: () => socket.destroy(),
      }),
    );
  });
}
