import type { ErrorReason } from "@platform-rpc/types";

/**
 * What a client must know of an operation: where it is, and whether a call whose outcome is not known may be sent again only
 * with its Idempotency-Key. A test keeps these constants equal to the descriptors of the contract.
 */
export type Operation = readonly [path: string, keyed: boolean];

export const deleteItemOperation: Operation = ["platform.v1.VaultService/DeleteItem", false];

export const exchangeOperation: Operation = [
  "platform.v1.IdentityGatewayService/ExchangeMcpOauthDeviceAuthorization",
  true,
];

/** A reason that the contract knows: the names of `platform.v1.ErrorReason`. */
export type ContractErrorReason = Exclude<keyof typeof ErrorReason, "UNSPECIFIED">;

/** Whether a name is one as reasons are: of the contract as this version of the package knows it, or of a newer one. At most 63
 * characters, as google.rpc.ErrorInfo has it. */
export const isErrorName = (name: unknown): name is ContractErrorReason =>
  typeof name === "string" && /^[A-Z_\d]{1,63}$/.test(name);
