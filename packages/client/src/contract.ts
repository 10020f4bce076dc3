import type { ErrorReason } from "@platform-rpc/types";

/** What a client must know of an operation. `gen/operations.ts` has one for each public operation of the contract. */
export interface Operation {
  readonly path: string;
  /** Whether a call may be repeated: always, only with the same Idempotency-Key, or never. */
  readonly retrySafety: "idempotent" | "with_key" | "none";
  /** The JSON names of the request's fields, also of the messages in it: nothing else is sent. */
  readonly fields: string[];
  /** The required fields of the request. */
  readonly required: readonly string[];
  /** The fields that no error may repeat. */
  readonly secrets: readonly string[];
}

/** A reason of the contract: the names of `platform.v1.ErrorReason`. */
export type ContractErrorReason = Exclude<keyof typeof ErrorReason, "UNSPECIFIED">;

/** Whether a name has the form of a reason, of this version of the contract or a newer one. google.rpc.ErrorInfo allows 63 characters. */
export function isReasonName(name: unknown): name is ContractErrorReason {
  return typeof name === "string" && /^[A-Z_\d]{1,63}$/.test(name);
}
