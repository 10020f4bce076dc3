import type { ServerResponse } from "node:http";

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
