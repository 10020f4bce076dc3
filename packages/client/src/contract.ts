import type { ErrorReason } from "@platform/types";

/** What a client must know of an operation. A test keeps these constants equal to the descriptors of the contract. */
export interface Operation {
  readonly service: string;
  readonly method: string;
  /** Whether a call whose outcome is not known may be sent again: by itself, or with its Idempotency-Key. */
  readonly retrySafety: "IDEMPOTENT" | "WITH_KEY" | "NONE";
}

export const deleteItemOperation: Operation = {
  service: "platform.v1.VaultService",
  method: "DeleteItem",
  retrySafety: "IDEMPOTENT",
};

export const exchangeOperation: Operation = {
  service: "platform.v1.IdentityGatewayService",
  method: "ExchangeMcpOauthDeviceAuthorization",
  retrySafety: "WITH_KEY",
};

/** A reason that the contract knows: the names of `platform.v1.ErrorReason`. */
export type ContractErrorReason = Exclude<keyof typeof ErrorReason, "UNSPECIFIED">;

export const contractErrorReasons: readonly ContractErrorReason[] = [
  "INVALID_FIELD",
  "MALFORMED_JSON",
  "PROTOCOL_VERSION_REQUIRED",
  "INVALID_TIMEOUT",
  "TOKEN_IN_QUERY",
  "MALFORMED_HTTP",
  "UNAUTHENTICATED",
  "TOKEN_NOT_ALLOWLISTED",
  "INSUFFICIENT_SCOPE",
  "ROLE_FORBIDS_DELETE",
  "PRINCIPAL_DISABLED",
  "VAULT_NOT_FOUND",
  "ITEM_NOT_FOUND",
  "DEVICE_CODE_INVALID",
  "VERSION_CONFLICT",
  "DEVICE_CODE_CONSUMED",
  "SEQUENCE_EXHAUSTED",
  "RATE_LIMITED",
  "REQUEST_TOO_LARGE",
  "HEADERS_TOO_LARGE",
  "OPERATION_UNKNOWN",
  "METHOD_NOT_ALLOWED",
  "REQUEST_TIMEOUT",
  "MEDIA_TYPE_UNSUPPORTED",
  "EXPECTATION_FAILED",
  "CANCELED",
  "INTERNAL",
  "ENCODING_UNSUPPORTED",
  "UNAVAILABLE",
  "DEADLINE_EXCEEDED",
];
