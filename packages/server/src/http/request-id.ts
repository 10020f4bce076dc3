import { randomUUID } from "node:crypto";
import { looksSecret } from "./secret-like.js";

/** The caller's request id, when it is a sane one, or else a new one. It is logged, so it must not be a secret. */
export function requestIdFrom(incoming: string | undefined): string {
  const sane = incoming !== undefined && /^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/.test(incoming) && !looksSecret(incoming);
  return sane ? incoming : randomUUID();
}
