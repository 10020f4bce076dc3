import type { IncomingMessage, ServerResponse } from "node:http";
import type { Limits } from "./limits.js";
import { takeBody } from "./received-request.js";

/** Writes a body in pieces. Each is written once the previous one has left the process, and is reported as progress. */
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

/** Reads and discards the rest of a body, until it ends or exceeds `drainBytes` or `drainMs`, and then calls `done`. */
export function drainBody(
  request: IncomingMessage,
  limits: Pick<Limits, "drainBytes" | "drainMs">,
  done: () => void,
): void {
  // The caller has ended its side: nothing more will arrive, and no event reports it.
  if (request.socket.readableEnded) {
    done();
    return;
  }
  let left = limits.drainBytes;
  let finished = false;
  const finish = () => {
    clearTimeout(timeout);
    request.off("close", finish);
    if (!finished) done();
    finished = true;
  };
  const timeout = setTimeout(finish, limits.drainMs);
  request.on("close", finish);
  takeBody(request, (chunk) => {
    left -= chunk?.length ?? 0;
    if (chunk === null || left < 0) finish();
  });
}
