import type { ErrorReason } from "@platform-rpc/types";

/** What a client must know about an operation. `gen/operations.ts` defines one for each public operation of the contract. */
export interface Operation {
  readonly path: string;
  /** Whether a call may be retried: always, only with the same Idempotency-Key, or never. */
  readonly retrySafety: "idempotent" | "with_key" | "none";
  /** The JSON names of the request's fields, including those of nested messages. Nothing else is sent. */
  readonly fields: string[];
  /** The required fields of the request. */
  readonly required: readonly string[];
  /** The fields that no error may repeat. */
  readonly secrets: readonly string[];
}

/** A reason of the contract: the names of `platform.v1.ErrorReason`. */
export type ContractErrorReason = Exclude<keyof typeof ErrorReason, "UNSPECIFIED">;

/**
 * Returns whether a name has the form of a reason, which may be from a newer contract. google.rpc.ErrorInfo allows 63 characters.
 */
export function isReasonName(name: unknown): name is ContractErrorReason {
  return typeof name === "string" && /^[A-Z_\d]{1,63}$/.test(name);
}
