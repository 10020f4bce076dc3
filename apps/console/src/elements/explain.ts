import { isPlatformError } from "@platform-rpc/client";
import { AccountError } from "../session/account-error.js";

export interface Explanation {
  /** What happened, and what to do. */
  readonly message: string;
  /** Of errors of a server, for support. */
  readonly reference?: {
    readonly reason: string;
    /** Empty for an item of a call with others. */
    readonly requestId: string;
    /** The page that explains the reason. Undefined for an error of the accounts origin: its message says what to do. */
    readonly docsUrl: string | undefined;
  };
  /** The message of the API, which is for programmers. Undefined if `message` says all. */
  readonly technical?: string;
}

const noAnswer = "The server did not answer. Check your network, and try again.";
const viewOnly = "You can only view this vault. Ask its owner to let you change it.";

/** What a person reads in place of the message for programmers, by the reason. */
const words: ReadonlyMap<string, string> = new Map([
  ["NETWORK_ERROR", noAnswer],
  ["UNAVAILABLE", noAnswer],
  ["DEADLINE_EXCEEDED", noAnswer],
  ["ROLE_FORBIDS_DELETE", viewOnly],
  ["ROLE_FORBIDS_CHANGE", viewOnly],
  ["VAULT_NOT_FOUND", "This vault is not there, or not shared with you any more."],
  ["ITEM_NOT_FOUND", "This item is not there any more."],
  ["ITEM_SHREDDED", "This item is deleted for ever, and cannot be restored."],
  ["VERSION_CONFLICT", "Someone changed this item first. Look at it, and try again."],
  ["RATE_LIMITED", "Too many requests. Wait a minute, and try again."],
]);
const otherwise = "This did not work. Try again. If it happens again, send the details to support.";

/** Why the server did not do something to an item of a call with many. */
export class ItemError extends Error {
  override readonly name = "ItemError";

  constructor(
    /** Such as `ITEM_NOT_FOUND`. */
    readonly reason: string,
  ) {
    super(words.get(reason) ?? otherwise);
  }
}

export function explain(error: unknown): Explanation {
  const cause = error instanceof Error && isPlatformError(error.cause) ? error.cause : error;
  if (isPlatformError(cause)) {
    const { message: technical, code, reason = code, requestId, docsUrl } = cause;
    // The token comes from the accounts origin, which knows why there is none.
    if (cause.cause instanceof AccountError) return explain(cause.cause);
    return { message: words.get(reason) ?? otherwise, reference: { reason, requestId, docsUrl }, technical };
  }
  if (cause instanceof AccountError) {
    const { message, reason, requestId } = cause;
    return { message, ...(requestId !== "" && { reference: { reason, requestId, docsUrl: undefined } }) };
  }
  if (cause instanceof ItemError) {
    const { message, reason } = cause;
    return { message, reference: { reason, requestId: "", docsUrl: undefined } };
  }
  return { message: cause instanceof Error ? cause.message : "The page failed. Reload it, and try again." };
}
