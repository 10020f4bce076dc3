export type { CursorAdvance, CursorPosition } from "./advance-cursor.js";
export { advanceCursor } from "./advance-cursor.js";
export type { CallOptions, KeyedCallOptions } from "./call/call-options.js";
export type { AttemptOutcome, CallInfo, Hooks, Outcome } from "./call/hooks.js";
export type { Answered, ResponseInfo } from "./call/response.js";
export type { RetryOptions } from "./call/retry.js";
export type { Clock } from "./clock.js";
export type { ConnectHttpOptions } from "./connect/http-transport.js";
export type { PlatformClient, PlatformClientOptions, TransportOptions } from "./connect/platform-client.js";
export { createPlatformClient } from "./connect/platform-client.js";
export { createPlatformTransport } from "./connect/platform-transport.js";
export type { ContractErrorReason } from "./contract.js";
export type {
  DeviceAuthorizationStatus,
  DeviceLoginClient,
  DeviceSession,
  ExchangeAnswer,
  StartedDeviceAuthorization,
  WaitOptions,
} from "./device/device-session.js";
export { waitForDeviceAuthorization } from "./device/wait-for-device-authorization.js";
export type { PlatformErrorCode } from "./error/error-code.js";
export type { ClientErrorReason, PlatformErrorReason } from "./error/error-reason.js";
export type {
  AnyPlatformError,
  DetailOf,
  ErrorCause,
  FieldViolation,
  PlatformErrorDetails,
  PlatformErrorInit,
  VersionConflictDetail,
} from "./error/platform-error.js";
export { isPlatformError, PlatformError } from "./error/platform-error.js";
export type * from "./gen/connect-types.js";
export type { CommonOptions, HttpOptions } from "./options/client-options.js";
export type { Logger, LogLevel } from "./options/logger.js";
export type { AccessToken, ProvidedToken, TokenProvider, TokenRequest } from "./token/access-token.js";
export { SecretToken } from "./token/secret-token.js";
export type {
  Fetch,
  FetchBody,
  FetchChunk,
  FetchInit,
  FetchReader,
  FetchResponse,
  ResponseHeaders,
} from "./wire/fetch.js";
export { printable } from "./wire/read-json.js";
