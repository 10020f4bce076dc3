export {
  BadRequest,
  BadRequest_FieldViolation,
  ErrorInfo,
  RetryInfo,
} from "./gen/google/rpc/error_details_pb.js";
export {
  Deprecation,
  OperationOptions,
  operation,
  RetrySafety,
  Visibility,
} from "./gen/platform/options/v1/operation_pb.js";
export { BrokerToken } from "./gen/platform/v1/broker_token_pb.js";
export { ErrorReason, VersionConflict } from "./gen/platform/v1/error_pb.js";
export { IdentityGatewayService } from "./gen/platform/v1/identity_gateway_service_connect.js";
export {
  ExchangeMcpOauthDeviceAuthorizationRequest,
  ExchangeMcpOauthDeviceAuthorizationResponse,
} from "./gen/platform/v1/identity_gateway_service_pb.js";
export { Cursor, EncryptedPayload, Item, WrappedKey } from "./gen/platform/v1/item_pb.js";
export { VaultService } from "./gen/platform/v1/vault_service_connect.js";
export { DeleteItemRequest, DeleteItemResponse } from "./gen/platform/v1/vault_service_pb.js";
