import { isReasonName } from "../contract.js";
import type { ErrorCause } from "./platform-error.js";

/**
 * The name and code of a foreign error, whose message may contain secrets: of its codes, the first in capitals, such as the
 * `ECONNREFUSED` below the `TypeError` of `fetch`.
 */
export function causeOf(thrown: unknown): ErrorCause {
  const { name, reason, code, cause }: Record<"name" | "reason" | "code" | "cause", unknown> = Object(thrown);
  const { code: causeCode }: { readonly code?: unknown } = Object(cause);
  return {
    name: typeof name === "string" ? name : undefined,
    code: [reason, code, causeCode].find(isReasonName),
  };
}

/** How messages name what was thrown: its code, or else its name. */
export function describe(thrown: unknown): string {
  const { name, code } = causeOf(thrown);
  return code ?? name ?? "no Error";
}
