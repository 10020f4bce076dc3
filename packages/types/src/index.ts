export type {
  BadRequest,
  BadRequest_FieldViolation,
  BadRequest_FieldViolationJson,
  BadRequestJson,
  ErrorInfo,
  ErrorInfoJson,
  RetryInfo,
  RetryInfoJson,
} from "./gen/google/rpc/error_details_pb.js";
export {
  BadRequest_FieldViolationSchema,
  BadRequestSchema,
  ErrorInfoSchema,
  file_google_rpc_error_details,
  RetryInfoSchema,
} from "./gen/google/rpc/error_details_pb.js";
export type {
  Deprecation,
  DeprecationJson,
  OperationOptions,
  OperationOptionsJson,
  RetrySafetyJson,
  VisibilityJson,
} from "./gen/platform/options/v1/operation_pb.js";
export {
  DeprecationSchema,
  file_platform_options_v1_operation,
  OperationOptionsSchema,
  operation,
  RetrySafety,
  RetrySafetySchema,
  Visibility,
  VisibilitySchema,
} from "./gen/platform/options/v1/operation_pb.js";
export type { BrokerToken, BrokerTokenJson } from "./gen/platform/v1/broker_token_pb.js";
export { BrokerTokenSchema, file_platform_v1_broker_token } from "./gen/platform/v1/broker_token_pb.js";
export type { ErrorReasonJson, VersionConflict, VersionConflictJson } from "./gen/platform/v1/error_pb.js";
export {
  ErrorReason,
  ErrorReasonSchema,
  file_platform_v1_error,
  VersionConflictSchema,
} from "./gen/platform/v1/error_pb.js";
export type {
  ExchangeMcpOauthDeviceAuthorizationRequest,
  ExchangeMcpOauthDeviceAuthorizationRequestJson,
  ExchangeMcpOauthDeviceAuthorizationResponse,
  ExchangeMcpOauthDeviceAuthorizationResponseJson,
} from "./gen/platform/v1/identity_gateway_service_pb.js";
export {
  ExchangeMcpOauthDeviceAuthorizationRequestSchema,
  ExchangeMcpOauthDeviceAuthorizationResponseSchema,
  file_platform_v1_identity_gateway_service,
  IdentityGatewayService,
} from "./gen/platform/v1/identity_gateway_service_pb.js";
export type {
  Cursor,
  CursorJson,
  EncryptedPayload,
  EncryptedPayloadJson,
  Item,
  ItemJson,
  WrappedKey,
  WrappedKeyJson,
} from "./gen/platform/v1/item_pb.js";
export {
  CursorSchema,
  EncryptedPayloadSchema,
  file_platform_v1_item,
  ItemSchema,
  WrappedKeySchema,
} from "./gen/platform/v1/item_pb.js";
export type {
  DeleteItemRequest,
  DeleteItemRequestJson,
  DeleteItemResponse,
  DeleteItemResponseJson,
} from "./gen/platform/v1/vault_service_pb.js";
export {
  DeleteItemRequestSchema,
  DeleteItemResponseSchema,
  file_platform_v1_vault_service,
  VaultService,
} from "./gen/platform/v1/vault_service_pb.js";
