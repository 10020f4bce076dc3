import type { ErrorReason } from "@platform-rpc/types";

/** What a client must know of an operation. A test keeps the constants below equal to the descriptors of the contract. */
export interface Operation {
  readonly path: string;
  /** Whether a call is safe to repeat only with the same Idempotency-Key. */
  readonly keyed: boolean;
  /** The required fields of the request. */
  readonly required: readonly string[];
  /** The field that no error may repeat. */
  readonly secret?: string;
}

export const deleteItemOperation: Operation = {
  path: "platform.v1.VaultService/DeleteItem",
  keyed: false,
  required: ["vaultId", "itemId", "baseVersion"],
};

export const exchangeOperation: Operation = {
  path: "platform.v1.IdentityGatewayService/ExchangeMcpOauthDeviceAuthorization",
  keyed: true,
  required: ["deviceCode"],
  secret: "deviceCode",
};

/** A reason of the contract: the names of `platform.v1.ErrorReason`. */
export type ContractErrorReason = Exclude<keyof typeof ErrorReason, "UNSPECIFIED">;

/** Whether a name has the form of a reason, of this version of the contract or a newer one. google.rpc.ErrorInfo allows 63 characters. */
export function isReasonName(name: unknown): name is ContractErrorReason {
  return typeof name === "string" && /^[A-Z_\d]{1,63}$/.test(name);
}
