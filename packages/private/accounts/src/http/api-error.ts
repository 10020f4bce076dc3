import type { Context } from "hono";
import type { RequestFailure } from "./request-error.js";

/** The body of every error of the endpoints that the scripts of the pages call. */
export interface ApiErrorBody {
  readonly reason: ApiReason | RequestFailure;
  /** What happened and what to do next, for the person. */
  readonly message: string;
}

const errors = {
  INVALID_REQUEST: { status: 400, message: "The page sent an invalid request. Reload the page, and try again." },
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
    message: "This request has ended, or was answered already. Run platform unlock again.",
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
} as const;

export type ApiReason = keyof typeof errors;

/** Returns an error as a response. */
export function apiError(context: Context, reason: ApiReason) {
  const { status, message } = errors[reason];
  const body: ApiErrorBody = { reason, message };
  return context.json(body, status, { "Cache-Control": "no-store" });
}

/** Returns the error of a name that is not allowed. @param problem what `nameProblem` says about it */
export function nameNotAllowed(context: Context, problem: string) {
  const body: ApiErrorBody = { reason: "NAME_NOT_ALLOWED", message: problem };
  return context.json(body, errors.NAME_NOT_ALLOWED.status, { "Cache-Control": "no-store" });
}
