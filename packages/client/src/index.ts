export type { AccessToken, TokenProvider, TokenRequest } from "./access-token.js";
export type { CallOptions, KeyedCallOptions } from "./call-options.js";
export type { PlatformErrorCode } from "./error-code.js";
export type { ClientErrorReason, ContractErrorReason, PlatformErrorReason } from "./error-reason.js";
export type { HttpOptions } from "./http-transport.js";
export type {
  ExchangeMcpOauthDeviceAuthorizationInput,
  ExchangeMcpOauthDeviceAuthorizationResult,
  IdentityGatewayClient,
} from "./identity-gateway-client.js";
export type { PlatformClient, PlatformClientOptions } from "./platform-client.js";
export { createPlatformClient } from "./platform-client.js";
export type {
  AnyPlatformError,
  DetailOf,
  ErrorCause,
  FieldViolation,
  PlatformErrorDetails,
  PlatformErrorInit,
} from "./platform-error.js";
export { isPlatformError, PlatformError } from "./platform-error.js";
export type { Answered } from "./unary-caller.js";
export type { CompleteDeleteItemResponse, DeleteItemInput, DeleteItemResult, VaultClient } from "./vault-client.js";
