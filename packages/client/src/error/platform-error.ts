import type { PlatformErrorCode, PlatformErrorReason } from "./code-and-reason.js";

/** Shared by every copy of the package in a program, so that each recognizes the errors of the others. */
const brand = Symbol.for("@platform-rpc/client PlatformError");

/** What is wrong with one field or header of a request, or one option of a call. */
export interface FieldViolation {
  /** The path of the field in its JSON spelling, or the name of the header or option. */
  readonly field: string;
  /** The rule that it breaks. */
  readonly description: string;
}

/** The current state of an item whose version is not the one in the request. */
export interface VersionConflictDetail {
  readonly itemId: string;
  /** The `baseVersion` of the request. */
  readonly baseVersion: number;
  /** The current version of the item. */
  readonly currentVersion: number;
  readonly deleted: boolean;
  /** The position of the item's newest change. */
  readonly cursor: { readonly vaultId: string; readonly sequence: number };
}

/** The budget of deletions that the person who approved has given. */
export interface DelegationExhaustedDetail {
  /** How many deletions the person allows. */
  readonly allowed: number;
  /** How many were made. */
  readonly used: number;
  /** The URL of the page on which the person can allow more; empty if the server has none. Untrusted input: show it to the person. */
  readonly page: string;
}

/** The type of `detail`, by reason. */
export interface PlatformErrorDetails {
  /** The budget that is used. */
  readonly DELEGATION_EXHAUSTED: DelegationExhaustedDetail;
  /** The current state of the item. */
  readonly VERSION_CONFLICT: VersionConflictDetail;
}

/** The type of `detail` for a reason; undefined for most reasons. */
export type DetailOf<Reason extends PlatformErrorReason | undefined> = Reason extends keyof PlatformErrorDetails
  ? PlatformErrorDetails[Reason]
  : undefined;

/** The name and code of an error that the client did not create. Its message is left out, because it may contain secrets. */
export interface ErrorCause {
  /** Such as `TypeError`; undefined when the thrown value has no name. */
  readonly name: string | undefined;
  /** The code of the error or of its cause, in capitals, such as `ECONNREFUSED`; undefined when neither has one. */
  readonly code: string | undefined;
}

/** The content of an error. */
export interface PlatformErrorInit<Reason extends PlatformErrorReason | undefined> {
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
  readonly docsUrl?: string | undefined;
  readonly cause?: unknown;
}

/**
 * The error that all calls reject with. Its message says what happened, where, why and what to do next. No part of it contains a
 * token, a device code or any other secret of the call. The exception is a `cause` that your own code threw: it is not changed.
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
 *   // ITEM_NOT_FOUND not_found false https://platform.test/docs/errors/ITEM_NOT_FOUND
 * }
 * ```
 *
 * @see SPEC section 7
 */
export class PlatformError<
  Reason extends PlatformErrorReason | undefined = PlatformErrorReason | undefined,
> extends Error {
  /**
   * Why the call failed. Undefined for an error of the Connect protocol that names no reason of the platform, such as that of a
   * gateway. Its `code`, `message` and `status` are those of the response.
   */
  declare readonly reason: Reason;
  /** The error code of the Connect protocol. Coarser than `reason`: prefer that. */
  declare readonly code: PlatformErrorCode;
  /** Identifies the call in the server's logs. Also set when no response arrived: the client sends an id with each call. */
  declare readonly requestId: string;
  /**
   * Whether the same call is safe to repeat and may succeed. For an operation that is safe to repeat only with its
   * Idempotency-Key, true only if you passed the key: a key that the client generated is lost.
   */
  declare readonly retryable: boolean;
  /** Milliseconds to wait before you repeat the call; undefined when the server set no wait. */
  declare readonly retryAfterMs: number | undefined;
  /** For `INVALID_FIELD`: the invalid fields, headers and options. Empty for other reasons. */
  declare readonly violations: readonly FieldViolation[];
  /**
   * For `VERSION_CONFLICT`: the current state of the item. For `DELEGATION_EXHAUSTED`: the budget that is used. Undefined for other
   * reasons.
   */
  declare readonly detail: DetailOf<Reason>;
  /** The HTTP status of the response; undefined when none arrived. */
  declare readonly status: number | undefined;
  /** The response headers that are safe to log, by lower-case name; undefined when no response arrived. */
  declare readonly headers: Readonly<Record<string, string>> | undefined;
  /**
   * The page of the server that explains the reason and what to do. Undefined where the URL of the server is not known, such as with your
   * own transport, or may be wrong, and without a reason.
   */
  declare readonly docsUrl: string | undefined;
  /**
   * What caused the error. For your own code, exactly what it threw or passed: the error of a token provider or an interceptor,
   * or the `reason` of your signal. Otherwise an {@link ErrorCause}.
   */
  declare readonly cause: unknown;

  /** Creates an error, for tests and for code that rejects as the client does. */
  constructor({ message, cause, ...init }: PlatformErrorInit<Reason>) {
    super(message, cause === undefined ? undefined : { cause });
    Object.assign(this, { violations: [] }, init);
  }
}

// On the prototype, because they are the same for every error.
Object.assign(PlatformError.prototype, { name: "PlatformError", [brand]: true });

/** A `PlatformError` of any reason or none, as a union that a `switch` over `reason` narrows. */
export type AnyPlatformError =
  | { [Reason in PlatformErrorReason]: PlatformError<Reason> }[PlatformErrorReason]
  | PlatformError<undefined>;

/**
 * Returns whether a value is a `PlatformError`, with the given reason if you name one. Unlike `instanceof`, it also recognizes the
 * errors of another copy of this package.
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
