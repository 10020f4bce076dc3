import type { PlatformErrorCode } from "./error-code.js";
import type { PlatformErrorReason } from "./error-reason.js";

/** Where the pages about reasons are. */
export const docs = "https://platform.example/docs/errors/";

/** Shared by every copy of the package in a program, so that each knows the errors of the others. */
const brand = Symbol.for(docs);

/** What is wrong with one field or header of a request. */
export interface FieldViolation {
  /** The path of the field in its JSON spelling, or the name of the header. */
  readonly field: string;
  /** The rule that it breaks. */
  readonly description: string;
}

/** Where an item stands that was not at the version which a request names. */
export interface VersionConflictDetail {
  readonly itemId: string;
  /** The version that the request named. */
  readonly baseVersion: number;
  /** The version at which the item stands. */
  readonly currentVersion: number;
  readonly deleted: boolean;
  /** The position of the item's newest change. */
  readonly cursor: { readonly vaultId: string; readonly sequence: number };
}

/** The details that reasons carry, by reason. */
export interface PlatformErrorDetails {
  /** Where the item stands. */
  readonly VERSION_CONFLICT: VersionConflictDetail;
}

/** The detail that a reason carries; undefined for most. */
export type DetailOf<Reason extends PlatformErrorReason> = Reason extends keyof PlatformErrorDetails
  ? PlatformErrorDetails[Reason]
  : undefined;

/** Name and code of what went wrong beneath, and nothing else of it: messages of foreign errors may hold secrets. */
export interface ErrorCause {
  /** As `TypeError`; undefined when what was thrown has none. */
  readonly name: string | undefined;
  /** As `ECONNREFUSED`, of the error or of its cause, in capitals; undefined when there is none. */
  readonly code: string | undefined;
}

/** What an error is made of. */
export interface PlatformErrorInit<Reason extends PlatformErrorReason> {
  readonly reason: Reason;
  readonly code: PlatformErrorCode;
  readonly message: string;
  readonly requestId: string;
  readonly retryable: boolean;
  readonly retryAfterMs?: number | undefined;
  readonly violations?: readonly FieldViolation[];
  readonly detail?: DetailOf<Reason> | undefined;
  readonly cause?: ErrorCause | undefined;
}

/**
 * The one error that calls reject with. It never holds a token, a device code or any other secret of the call: not in
 * its message or stack, not in its JSON, not in its cause.
 *
 * Tell its reasons apart with {@link isPlatformError}, or with a `switch` over `reason`. `instanceof` knows only the errors of
 * clients that come from the same entry of the package.
 *
 * @example
 * ```ts
 * import { PlatformError } from "@platform-rpc/client";
 *
 * try {
 *   await client.vault.deleteItem({ vaultId, itemId: "item-2", baseVersion: 1 });
 * } catch (error) {
 *   if (!(error instanceof PlatformError)) throw error;
 *   console.log(error.reason, error.code, error.retryable, error.docsUrl);
 *   // ITEM_NOT_FOUND not_found false https://platform.example/docs/errors/ITEM_NOT_FOUND
 * }
 * ```
 *
 * @see SPEC section 7
 */
export class PlatformError<Reason extends PlatformErrorReason = PlatformErrorReason> extends Error {
  /** Why the call failed. */
  declare readonly reason: Reason;
  /** The error code of the Connect protocol. Coarser than `reason`: prefer that. */
  declare readonly code: PlatformErrorCode;
  /** Names the call in the server's logs. Also set when no answer came: the client sends one with each call. */
  declare readonly requestId: string;
  /**
   * Whether the same call, sent again as it was, is safe and may succeed. For an operation that is safe to repeat only
   * with its Idempotency-Key, and whose outcome is not known, that holds only if the caller gave the key: otherwise it
   * is lost.
   */
  declare readonly retryable: boolean;
  /** Milliseconds to wait before the call is sent again, where the server said; otherwise undefined. */
  declare readonly retryAfterMs: number | undefined;
  /** What is wrong with the request, as the server said with `INVALID_FIELD`; otherwise empty. */
  declare readonly violations: readonly FieldViolation[];
  /** The detail that the reason carries: with `VERSION_CONFLICT` where the item stands. */
  declare readonly detail: DetailOf<Reason>;
  declare readonly cause: ErrorCause | undefined;
  /** The page that explains the reason and what to do. */
  declare readonly docsUrl: string;

  constructor(init: PlatformErrorInit<Reason>) {
    super(init.message);
    Object.assign(this, { docsUrl: docs + init.reason, violations: [] }, init);
  }
}

// On the prototype, where they are no news about one error.
Object.assign(PlatformError.prototype, { name: "PlatformError", [brand]: true });

/** A `PlatformError` of any reason, as a union that a `switch` over `reason` narrows. */
export type AnyPlatformError = { [Reason in PlatformErrorReason]: PlatformError<Reason> }[PlatformErrorReason];

/**
 * Whether a value is a `PlatformError`, from whichever copy of this package, and (optionally) of one reason.
 *
 * @example
 * ```ts
 * import { isPlatformError } from "@platform-rpc/client";
 *
 * try {
 *   await client.vault.deleteItem({ vaultId, itemId, baseVersion: 2 });
 * } catch (error) {
 *   if (!isPlatformError(error, "VERSION_CONFLICT")) throw error;
 *   console.log(error.detail.currentVersion);
 *   // 3
 * }
 * ```
 */
export function isPlatformError(value: unknown): value is AnyPlatformError;
export function isPlatformError<Reason extends PlatformErrorReason>(
  value: unknown,
  reason: Reason,
): value is PlatformError<Reason>;
export function isPlatformError(value: unknown, reason?: PlatformErrorReason): boolean {
  const error: { readonly [brand]?: true; readonly reason?: unknown } = Object(value);
  return !!error[brand] && (!reason || error.reason === reason);
}
