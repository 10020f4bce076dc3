import { createHash } from "node:crypto";
import type { AuditSeal } from "../domain/model/audit-seal.js";

/** Returns the digest after a row, from the digest before it and the line of the row. */
export function rowDigest(before: string, line: string): string {
  return createHash("sha256").update(before, "hex").update(line).digest("hex");
}

/**
 * Returns `trail` of a seal, from that of the seal before it. It covers the month and the number of rows, too: otherwise someone could
 * remove rows and let their seal say that they are of a month that was archived.
 */
export function trailDigest(
  before: string,
  { digest, month, rows }: Pick<AuditSeal, "digest" | "month" | "rows">,
): string {
  return createHash("sha256").update(before, "hex").update(digest, "hex").update(`${month} ${rows}`).digest("hex");
}

/** Returns the digest after several rows. */
export function rowsDigest(before: string, lines: readonly string[]): string {
  return lines.reduce(rowDigest, before);
}
