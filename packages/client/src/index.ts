export type { AccessToken, ProvidedToken, TokenProvider, TokenRequest } from "./access-token.js";
export type { CursorAdvance, CursorPosition } from "./advance-cursor.js";
export { advanceCursor } from "./advance-cursor.js";
export type { CallOptions, KeyedCallOptions } from "./call-options.js";
export type { Answered } from "./caller.js";
export type { CommonOptions } from "./client-options.js";
export type { Clock } from "./clock.js";
export type { HttpOptions } from "./connect/http-transport.js";
export type {
  ExchangeMcpOauthDeviceAuthorizationInput,
  ExchangeMcpOauthDeviceAuthorizationResult,
  IdentityGatewayClient,
} from "./connect/identity-gateway-client.js";
export type { PlatformClient, PlatformClientOptions, TransportOptions } from "./connect/platform-client.js";
export { createPlatformClient } from "./connect/platform-client.js";
export { createPlatformTransport } from "./connect/platform-transport.js";
export type {
  CompleteDeleteItemResponse,
  DeleteItemInput,
  DeleteItemResult,
  VaultClient,
} from "./connect/vault-client.js";
export type { ContractErrorReason } from "./contract.js";
export type {
  DeviceAuthorizationStatus,
  DeviceSession,
  StartedDeviceAuthorization,
  WaitOptions,
} from "./device-login.js";
export type { PlatformErrorCode } from "./error-code.js";
export type { ClientErrorReason, PlatformErrorReason } from "./error-reason.js";
export type { CallInfo, Hooks, Outcome } from "./hooks.js";
export type {
  AnyPlatformError,
  DetailOf,
  ErrorCause,
  FieldViolation,
  PlatformErrorDetails,
  PlatformErrorInit,
  VersionConflictDetail,
} from "./platform-error.js";
export { isPlatformError, PlatformError } from "./platform-error.js";
export type { RetryOptions } from "./retry.js";
export { SecretToken } from "./secret-token.js";
