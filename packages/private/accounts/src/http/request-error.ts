import type { PageStatus } from "../pages/layout.js";

export interface Failure {
  readonly status: PageStatus;
  /** The heading of the page. Absent: only scripts of pages get it. */
  readonly title?: string;
  /** What to do. Visible ASCII without quotes and backslashes, because it may become an `error_description`. */
  readonly message: string;
  /** What a page tells the person. Default: what to do, and in a script of a page the title before it. */
  readonly forPerson?: string;
}

export const failures = {
  NOT_FOUND: {
    status: 404,
    title: "Not found",
    message: "Check the address.",
    forPerson: "This server has nothing at this address. Check the address, or reload the page and try again.",
  },
  INVALID_REQUEST: {
    status: 400,
    title: "Invalid request",
    message: "Check the body.",
    forPerson: "The page sent an invalid request. Reload the page, and try again.",
  },
  TOKEN_IN_QUERY: {
    status: 400,
    title: "A token or code in the URL",
    message: "URLs are logged. Revoke it, and send another one in the Authorization header.",
  },
  CROSS_ORIGIN: {
    status: 403,
    title: "Not allowed",
    message: "The request did not come from a page of this server. Open that page, and try again there.",
  },
  PREFETCH: {
    status: 403,
    title: "Not loaded in advance",
    message: "Open the page itself.",
  },
  REQUEST_TOO_LARGE: {
    status: 413,
    title: "The body is too large",
    message: "Send a smaller one.",
    forPerson: "The page sent a request that is too large. Reload the page, and try again.",
  },
  WRONG_HOST: {
    status: 421,
    title: "Wrong host",
    message: "Use the host name of this server in the URL.",
  },
  RATE_LIMITED: {
    status: 429,
    title: "Too many requests",
    message: "Wait until the time in Retry-After, and try again.",
    forPerson: "Too many requests from your network or your account. Wait a few minutes, and try again.",
  },
  INTERNAL: { status: 500, title: "The server failed", message: "Try again later." },
  UNAVAILABLE: {
    status: 503,
    title: "Not available",
    message: "Try again in a minute. Check first whether your last change was made.",
  },

  // Of the endpoints that the scripts of the pages call: what happened and what to do next, for the person.
  NAME_NOT_ALLOWED: { status: 400, message: "This cannot be a name." },
  CEREMONY_EXPIRED: {
    status: 400,
    message: "This took too long, or was used already. Reload the page, and try again.",
  },
  PASSKEY_REJECTED: {
    status: 400,
    message: "The new passkey could not be verified. Try again, or use another device.",
  },
  SIGN_IN_FAILED: {
    status: 401,
    message:
      "Signing in failed: the passkey or recovery code does not belong to an active account. After too many attempts, wait 10 minutes.",
  },
  SIGNED_OUT: { status: 401, message: "You are signed out. Sign in, and try again." },
  SIGN_IN_AGAIN: { status: 401, message: "You signed in more than 5 minutes ago. Sign in again to continue." },
  CODE_NOT_CONFIRMED: {
    status: 403,
    message: "The platform was restored to an earlier point in time. Reload the page, and confirm your recovery code.",
  },
  SIGN_UP_OFF: { status: 403, message: "Accounts are created by your administrator. Ask them for one." },
  NO_SIGNING_KEY: { status: 404, message: "There is no such person, or they have not made a signing key yet." },
  ROLE_FORBIDS_CHANGE: { status: 403, message: "Only an owner or admin of the vault can delete its items for ever." },
  VAULT_NOT_FOUND: {
    status: 404,
    message: "There is no such vault, or it is not shared with you any more. Reload the page.",
  },
  UNLOCK_ENDED: {
    status: 404,
    message: "This request has ended, or was answered already. Run the command in your terminal again.",
  },
  ITEM_NOT_FOUND: { status: 404, message: "There is no such item, or it is in a vault that is not yours." },
  ITEM_CHANGED: {
    status: 409,
    message: "The item was restored or deleted again at the same time. Reload the page, and check what it is now.",
  },
  APPROVAL_ENDED: {
    status: 409,
    message: "This approval has ended. Reload the page. To use the software again, let it ask you again.",
  },
  APPROVAL_CHANGED: {
    status: 409,
    message: "What this software may do was changed at the same time. Check what applies now, and try again.",
  },
  ACCOUNT_CHANGED: {
    status: 409,
    message: "The account was changed at the same time. Reload the page, and try again.",
  },
  RECOVERY_CODE_NEEDED: {
    status: 409,
    message: "Only this passkey unlocks your items. Create a recovery code and store it first, or you would lose them.",
  },
  CLOCK_NOT_TRUSTED: {
    status: 503,
    message:
      "The clock of the server has changed by more than an hour, so nothing can be deleted for ever until it is checked. Try again tomorrow, or ask your administrator.",
  },
  TOO_MANY_PASSKEYS: { status: 409, message: "An account has at most 10 passkeys. Remove one first." },
} as const satisfies Readonly<Record<string, Failure>>;

export type RequestFailure = keyof typeof failures;

/** The body of every error of the endpoints that the scripts of the pages call. */
export interface ApiErrorBody {
  readonly reason: RequestFailure;
  /** What happened and what to do next, for the person. */
  readonly message: string;
}

interface RequestErrorOptions {
  /** What to do. Default: that of the reason. */
  readonly message?: string;
  /** When the request may be repeated, in milliseconds. Default: unknown; 1,000 for UNAVAILABLE, as in the contract. */
  readonly waitMs?: number;
}

export class RequestError extends Error {
  override readonly name = "RequestError";
  readonly reason: RequestFailure;
  readonly waitMs: number | undefined;

  constructor(reason: RequestFailure, { message = failures[reason].message, waitMs }: RequestErrorOptions = {}) {
    super(message);
    this.reason = reason;
    this.waitMs = waitMs ?? (reason === "UNAVAILABLE" ? 1000 : undefined);
  }
}
