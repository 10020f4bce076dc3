import { createHash } from "node:crypto";

/** Eight characters that differ when the words do. Line breaks are not words. */
export function digest(...comments: readonly string[]): string {
  const words = comments.join("\n\n").replace(/\s+/g, " ").trim();
  return createHash("sha256").update(words).digest("hex").slice(0, 8);
}
