import { randomUUID } from "node:crypto";
import { looksLikeSecret } from "./secret-like.js";

/** Returns the caller's request id if it is valid, otherwise a new one. It is logged, so it must not look like a secret. */
export function requestIdFrom(incoming: string | undefined): string {
  const sane =
    incoming !== undefined && /^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/.test(incoming) && !looksLikeSecret(incoming);
  return sane ? incoming : randomUUID();
}
