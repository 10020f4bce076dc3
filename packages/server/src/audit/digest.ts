import { createHash } from "node:crypto";

/** Returns the digest after a row, from the digest before it and the line of the row. */
export function rowDigest(before: string, line: string): string {
  return createHash("sha256").update(before, "hex").update(line).digest("hex");
}

/** Returns `trail` of a seal, from that of the seal before it and the digest of the seal. */
export function trailDigest(before: string, digest: string): string {
  return createHash("sha256").update(before, "hex").update(digest, "hex").digest("hex");
}

/** Returns the digest after several rows. */
export function rowsDigest(before: string, lines: readonly string[]): string {
  return lines.reduce(rowDigest, before);
}
