import { createHash } from "node:crypto";

/** Returns a key of fixed length for a text of any length. */
export function hashKey(text: string): string {
  return createHash("sha256").update(text).digest("base64url");
}
