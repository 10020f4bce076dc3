import type { PlatformErrorCode } from "./error-code.js";
import type { PlatformErrorReason } from "./error-reason.js";

/** The address of the pages about reasons. */
export const docs = "https://platform.example/docs/errors/";

/** Shared by every copy of the package in a program, so that each recognizes the errors of the others. */
const brand = Symbol.for(docs);

/** What is wrong with one field or header of a request, or one option of a call. */
export interface FieldViolation {
  /** The path of the field in its JSON spelling, or the name of the header or option. */
  readonly field: string;
  /** The rule that it breaks. */
  readonly description: string;
}

/** The current state of an item that is not at the version which a request names. */
export interface VersionConflictDetail {
  readonly itemId: string;
  /** The version that the request named. */
  readonly baseVersion: number;
  /** The current version of the item. */
  readonly currentVersion: number;
  readonly deleted: boolean;
  /** The position of the item's newest change. */
  readonly cursor: { readonly vaultId: string; readonly sequence: number };
}

/** The details that reasons carry, by reason. */
export interface PlatformErrorDetails {
  /** The current state of the item. */
  readonly VERSION_CONFLICT: VersionConflictDetail;
}

/** The detail that a reason carries; undefined for most. */
export type DetailOf<Reason extends PlatformErrorReason> = Reason extends keyof PlatformErrorDetails
  ? PlatformErrorDetails[Reason]
  : undefined;

/** Name and code of a foreign error, and nothing else of it: its message may contain secrets. */
export interface ErrorCause {
  /** Such as `TypeError`; undefined when what was thrown has no name. */
  readonly name: string | undefined;
  /** Such as `ECONNREFUSED`, of the error or of its cause, in capitals; undefined when there is none. */
  readonly code: string | undefined;
}

/** The content of an error. */
export interface PlatformErrorInit<Reason extends PlatformErrorReason> {
  readonly reason: Reason;
  readonly code: PlatformErrorCode;
  readonly message: string;
  readonly requestId: string;
  readonly retryable: boolean;
  readonly retryAfterMs?: number | undefined;
  readonly violations?: readonly FieldViolation[] | undefined;
  readonly detail: DetailOf<Reason>;
  readonly status?: number | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly cause?: unknown;
}

/**
 * The one error that calls reject with. Its message says what happened, where, why and what to do next. No part of it contains a
 * token, a device code or any other secret of the call; only `cause` may be an error of your own, as you threw it.
 *
 * Distinguish reasons with {@link isPlatformError}, or with a `switch` over `reason`. `instanceof` recognizes only the errors of
 * the same copy of the package.
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
  /** Identifies the call in the server's logs. Also set when no answer arrived: the client sends an id with each call. */
  declare readonly requestId: string;
  /**
   * Whether the same call is safe to repeat and may succeed. For an operation that is safe to repeat only with its
   * Idempotency-Key, true only if you gave the key: a key that the client made is lost.
   */
  declare readonly retryable: boolean;
  /** Milliseconds to wait before the call is repeated, when the server says; otherwise undefined. */
  declare readonly retryAfterMs: number | undefined;
  /** With `INVALID_FIELD`: the invalid fields, headers and options; otherwise empty. */
  declare readonly violations: readonly FieldViolation[];
  /** The detail that the reason carries: with `VERSION_CONFLICT` the current state of the item. */
  declare readonly detail: DetailOf<Reason>;
  /** The HTTP status of the answer; undefined when none arrived. */
  declare readonly status: number | undefined;
  /** The headers of the answer that are safe to log, by lower-case name; undefined when none arrived. */
  declare readonly headers: Readonly<Record<string, string>> | undefined;
  /** The page that explains the reason and what to do. */
  declare readonly docsUrl: string;
  /**
   * What caused the error. Whole when it is yours: what a token provider or an interceptor threw, or the `reason` of your signal.
   * Otherwise an {@link ErrorCause}.
   */
  declare readonly cause: unknown;

  /** Creates an error, for tests and for code that rejects as the client does. */
  constructor({ message, cause, ...init }: PlatformErrorInit<Reason>) {
    super(message, cause === undefined ? undefined : { cause });
    Object.assign(this, { violations: [], docsUrl: docs + init.reason }, init);
  }
}

// On the prototype, because they are the same for every error.
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
