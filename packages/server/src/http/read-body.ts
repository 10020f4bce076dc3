import { isUtf8 } from "node:buffer";
import type { IncomingMessage } from "node:http";
import { rpcError } from "../rpc/rpc-error.js";

/** Something in front of the handler has read the body. Mount the handler before body parsers. */
export class BodyConsumedError extends Error {
  override readonly name = "BodyConsumedError";
}

/**
 * Reads a body as text, and calls one of `done` and `failed` once: it may come in chunks whose sum no header announces,
 * so the limit is watched while they come.
 */
export function readBody(
  request: IncomingMessage,
  limit: number,
  done: (text: string) => void,
  failed: (reason: unknown) => void,
): void {
  if (request.readableEnded) {
    failed(new BodyConsumedError());
    return;
  }
  const chunks: Buffer[] = [];
  let size = 0;
  const onData = (chunk: Buffer) => {
    size += chunk.length;
    chunks.push(chunk);
    if (size <= limit) return;
    stop();
    failed(rpcError("REQUEST_TOO_LARGE"));
  };
  const onEnd = () => {
    stop();
    const [first] = chunks;
    const body = first !== undefined && chunks.length === 1 ? first : Buffer.concat(chunks, size);
    if (isUtf8(body)) done(body.toString("utf8"));
    else failed(rpcError("MALFORMED_JSON"));
  };
  const stop = () => {
    request.off("data", onData).off("end", onEnd);
  };
  request.on("data", onData).on("end", onEnd);
}
