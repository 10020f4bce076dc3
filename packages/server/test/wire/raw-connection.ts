import type { Socket } from "node:net";
import { parseAnswer, type WireAnswer } from "./wire-answer.js";

/** A raw TCP connection to a listener. It sends bytes unchanged, and reads the responses one by one. */
export interface RawConnection {
  /** Sends bytes; a string is sent as latin1, byte for byte. */
  send(bytes: string | Uint8Array): void;
  /** Returns the next response, including interim ones (1xx). Rejects when the connection ends before it is complete. */
  answer(to?: { readonly head: boolean }): Promise<WireAnswer>;
  /** Sends FIN. */
  end(): void;
  /** Closes the connection immediately. */
  destroy(): void;
  /** Resolves when the connection is closed, with the bytes that were not read as a response. */
  readonly closed: Promise<string>;
}

/** Reads the responses on a socket. A socket error closes the connection. */
export function rawConnection(socket: Socket): RawConnection {
  let received = Buffer.alloc(0);
  let ended = false;
  let wake: (() => void) | undefined;
  socket.on("data", (chunk: Buffer) => {
    received = Buffer.concat([received, chunk]);
    wake?.();
  });
  socket.on("error", () => socket.destroy());
  const closed = new Promise<string>((resolve) => {
    socket.on("close", () => {
      ended = true;
      wake?.();
      resolve(received.toString("latin1"));
    });
  });

  return {
    closed,
    send: (bytes) => {
      socket.write(typeof bytes === "string" ? Buffer.from(bytes, "latin1") : bytes);
    },
    end: () => {
      socket.end();
    },
    destroy: () => {
      socket.destroy();
    },
    async answer({ head } = { head: false }) {
      for (;;) {
        const parsed = parseAnswer(received, head);
        if (parsed !== undefined) {
          received = received.subarray(parsed.bytes);
          return parsed.answer;
        }
        if (ended)
          throw new Error(`the connection ended before a complete response: ${JSON.stringify(received.toString())}`);
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
  };
}
