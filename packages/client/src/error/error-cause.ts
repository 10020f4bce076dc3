import { isReasonName } from "../contract.js";
import type { ErrorCause } from "./platform-error.js";

/**
 * Returns the name and code of an error that the client did not create; its message may contain secrets. The code is the first in
 * capitals of the error or its cause, such as the `ECONNREFUSED` in the cause of the `TypeError` that `fetch` throws.
 */
export function causeOf(thrown: unknown): ErrorCause {
  const { name, reason, code, cause }: Record<"name" | "reason" | "code" | "cause", unknown> = Object(thrown);
  const { code: causeCode, message }: { readonly code?: unknown; readonly message?: unknown } = Object(cause);
  return {
    name: typeof name === "string" ? name : undefined,
    // `fetch` names a port that it blocks only in a message.
    code: [reason, code, causeCode, message === "bad port" && "BAD_PORT"].find(isReasonName),
  };
}

/** Returns the code of a thrown value, or else its name, for messages. */
export function describe(thrown: unknown): string {
  const { name, code } = causeOf(thrown);
  return code ?? name ?? "no Error";
}
