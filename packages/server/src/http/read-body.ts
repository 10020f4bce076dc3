import { isUtf8 } from "node:buffer";
import type { IncomingMessage } from "node:http";
import { rpcError } from "../rpc/rpc-error.js";

/** Middleware has read the body before the handler. Mount the handler before body parsers. */
export class BodyConsumedError extends Error {
  override readonly name = "BodyConsumedError";
}

/**
 * Reads a body as text, then calls either `done` or `failed`, once. Checks the size while reading, because a body in chunks
 * has no Content-Length.
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
