import { isUtf8 } from "node:buffer";
import type { IncomingMessage } from "node:http";
import { rpcError } from "../services/rpc-error.js";
import { takeBody } from "./received-request.js";

/** Receives a body, or the error for a body that cannot be read. */
export interface BodyReader {
  received(text: string): void;
  fail(thrown: unknown): void;
}

/**
 * Reads a body as text. Checks the size while reading, because a body in chunks has no Content-Length.
 *
 * @throws BodyConsumedError
 */
export function readBody(request: IncomingMessage, limit: number, reader: BodyReader): void {
  const chunks: Buffer[] = [];
  let size = 0;
  takeBody(request, (chunk) => {
    if (size > limit) return;
    if (chunk === null) {
      const [first] = chunks;
      const body = first !== undefined && chunks.length === 1 ? first : Buffer.concat(chunks, size);
      if (isUtf8(body)) reader.received(body.toString("utf8"));
      else reader.fail(rpcError("MALFORMED_JSON"));
      return;
    }
    size += chunk.length;
    if (size > limit) reader.fail(rpcError("REQUEST_TOO_LARGE"));
    else chunks.push(chunk);
  });
}
