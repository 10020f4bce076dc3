import type { IncomingMessage, ServerResponse } from "node:http";
import type { Limits } from "./limits.js";

/** Writes a body piece by piece, each once the one before has left the process: that is the progress that counts. */
export function writePieces(
  response: ServerResponse,
  bytes: Uint8Array,
  pieceBytes: number,
  { onProgress, onEnd }: { readonly onProgress: () => void; readonly onEnd: () => void },
): void {
  let at = 0;
  const next = (error?: Error | null) => {
    // The connection is gone.
    if (error) return;
    onProgress();
    if (at >= bytes.length) {
      onEnd();
      return;
    }
    const piece = bytes.subarray(at, at + pieceBytes);
    at += piece.length;
    response.write(piece, next);
  };
  next();
}

/** Reads what is left of a body and throws it away, until it ends, is too much, or takes too long. */
export function drainBody(
  request: IncomingMessage,
  limits: Pick<Limits, "drainBytes" | "drainMs">,
  done: () => void,
): void {
  // The caller has ended its side: nothing more will come, and no event says so.
  if (request.socket.readableEnded) {
    done();
    return;
  }
  let left = limits.drainBytes;
  const finish = () => {
    clearTimeout(patience);
    request.off("data", count).off("end", finish).off("close", finish);
    done();
  };
  const count = (chunk: Buffer) => {
    left -= chunk.length;
    if (left < 0) finish();
  };
  const patience = setTimeout(finish, limits.drainMs);
  request.on("data", count).on("end", finish).on("close", finish);
}
