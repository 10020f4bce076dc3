import { isPlatformError } from "@platform-rpc/client";

/** What a person is shown of an error. */
export interface Explanation {
  readonly message: string;
  /** Of errors of the platform. */
  readonly platform?: { readonly reason: string; readonly requestId: string; readonly docsUrl: string };
}

/** Explains an error to the person. */
export function explain(error: unknown): Explanation {
  const cause = error instanceof Error && isPlatformError(error.cause) ? error.cause : error;
  if (isPlatformError(cause)) {
    const { message, reason, requestId, docsUrl } = cause;
    return { message, platform: { reason, requestId, docsUrl } };
  }
  return { message: cause instanceof Error ? cause.message : "The console failed. Reload the page, and try again." };
}
