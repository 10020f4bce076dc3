import { isPlatformError } from "@platform-rpc/client";
import { AccountError } from "../session/account-error.js";

/** What a person is shown of an error. */
export interface Explanation {
  readonly message: string;
  /** Of errors of a server. */
  readonly reference?: {
    readonly reason: string;
    readonly requestId: string;
    /** The page that explains the reason. Undefined for an error of the accounts origin: its message says what to do. */
    readonly docsUrl: string | undefined;
  };
}

export function explain(error: unknown): Explanation {
  const cause = error instanceof Error && isPlatformError(error.cause) ? error.cause : error;
  if (isPlatformError(cause)) {
    const { message, code, reason = code, requestId, docsUrl } = cause;
    // The token comes from the accounts origin, which knows why there is none.
    if (cause.cause instanceof AccountError) return explain(cause.cause);
    return { message, reference: { reason, requestId, docsUrl } };
  }
  if (cause instanceof AccountError) {
    const { message, reason, requestId } = cause;
    return { message, ...(requestId !== "" && { reference: { reason, requestId, docsUrl: undefined } }) };
  }
  return { message: cause instanceof Error ? cause.message : "The console failed. Reload the page, and try again." };
}
