export type { CursorAdvance, CursorPosition } from "../advance-cursor.js";
export { advanceCursor } from "../advance-cursor.js";
export type { Answered, ResponseInfo } from "../call/call.js";
export type {
  DeviceAuthorizationStatus,
  DeviceLoginClient,
  DeviceSession,
  ExchangeAnswer,
  StartedDeviceAuthorization,
  WaitOptions,
} from "../device/device-session.js";
export { waitForDeviceAuthorization } from "../device/wait-for-device-authorization.js";
export type {
  ClientErrorReason,
  ContractErrorReason,
  PlatformErrorCode,
  PlatformErrorReason,
} from "../error/code-and-reason.js";
export type {
  AnyPlatformError,
  DelegationExhaustedDetail,
  DetailOf,
  ErrorCause,
  FieldViolation,
  PlatformErrorDetails,
  PlatformErrorInit,
  VersionConflictDetail,
} from "../error/platform-error.js";
export { isPlatformError, PlatformError } from "../error/platform-error.js";
export type * from "../gen/json-types.js";
export type {
  CallOptions,
  CommonOptions,
  HttpOptions,
  KeyedCallOptions,
  RetryOptions,
} from "../options/client-options.js";
export type { Clock } from "../options/clock.js";
export type { AttemptOutcome, CallInfo, Hooks, Outcome } from "../options/hooks.js";
export type { Logger, LogLevel } from "../options/logger.js";
export type { AccessToken, ProvidedToken, TokenProvider, TokenRequest } from "../options/token.js";
export { SecretToken } from "../options/token.js";
export type {
  Fetch,
  FetchBody,
  FetchChunk,
  FetchInit,
  FetchReader,
  FetchResponse,
  ResponseHeaders,
} from "../wire/http.js";
export type { PlatformClient, PlatformClientOptions } from "./platform-client.js";
export { createPlatformClient } from "./platform-client.js";
