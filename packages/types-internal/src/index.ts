export { descriptorSet } from "./gen/descriptor-set.js";
export type {
  IssueAccessTokenRequest,
  IssueAccessTokenResponse,
  RevokeTokenRequest,
  RevokeTokenResponse,
  SetOauthClientRequest,
  SetOauthClientResponse,
  SetPrincipalRequest,
  SetPrincipalResponse,
} from "./gen/platform/internal/v1/access_admin_service_pb.js";
export {
  AccessAdminService,
  file_platform_internal_v1_access_admin_service,
  IssueAccessTokenRequestSchema,
  IssueAccessTokenResponseSchema,
  RevokeTokenRequestSchema,
  RevokeTokenResponseSchema,
  SetOauthClientRequestSchema,
  SetOauthClientResponseSchema,
  SetPrincipalRequestSchema,
  SetPrincipalResponseSchema,
} from "./gen/platform/internal/v1/access_admin_service_pb.js";
export type {
  ApproveDeviceAuthorizationRequest,
  ApproveDeviceAuthorizationResponse,
  DenyDeviceAuthorizationRequest,
  DenyDeviceAuthorizationResponse,
  GetDeviceAuthorizationRequest,
  GetDeviceAuthorizationResponse,
  StartDeviceAuthorizationRequest,
  StartDeviceAuthorizationResponse,
} from "./gen/platform/internal/v1/device_authorization_service_pb.js";
export {
  ApproveDeviceAuthorizationRequestSchema,
  ApproveDeviceAuthorizationResponseSchema,
  DenyDeviceAuthorizationRequestSchema,
  DenyDeviceAuthorizationResponseSchema,
  DeviceAuthorizationService,
  file_platform_internal_v1_device_authorization_service,
  GetDeviceAuthorizationRequestSchema,
  GetDeviceAuthorizationResponseSchema,
  StartDeviceAuthorizationRequestSchema,
  StartDeviceAuthorizationResponseSchema,
} from "./gen/platform/internal/v1/device_authorization_service_pb.js";
export {
  file_platform_internal_v1_error,
  InternalErrorReason,
  InternalErrorReasonSchema,
} from "./gen/platform/internal/v1/error_pb.js";
export type {
  BackUpDatabaseRequest,
  BackUpDatabaseResponse,
  TrustClockRequest,
  TrustClockResponse,
} from "./gen/platform/internal/v1/maintenance_service_pb.js";
export {
  BackUpDatabaseRequestSchema,
  BackUpDatabaseResponseSchema,
  file_platform_internal_v1_maintenance_service,
  MaintenanceService,
  TrustClockRequestSchema,
  TrustClockResponseSchema,
} from "./gen/platform/internal/v1/maintenance_service_pb.js";
export type {
  Change,
  CreateVaultRequest,
  CreateVaultResponse,
  GetItemRequest,
  GetItemResponse,
  ListChangesRequest,
  ListChangesResponse,
  PutItemRequest,
  PutItemResponse,
  RestoreItemRequest,
  RestoreItemResponse,
  SetVaultMemberRequest,
  SetVaultMemberResponse,
} from "./gen/platform/internal/v1/vault_admin_service_pb.js";
export {
  ChangeSchema,
  CreateVaultRequestSchema,
  CreateVaultResponseSchema,
  file_platform_internal_v1_vault_admin_service,
  GetItemRequestSchema,
  GetItemResponseSchema,
  ListChangesRequestSchema,
  ListChangesResponseSchema,
  PutItemRequestSchema,
  PutItemResponseSchema,
  RestoreItemRequestSchema,
  RestoreItemResponseSchema,
  SetVaultMemberRequestSchema,
  SetVaultMemberResponseSchema,
  VaultAdminService,
} from "./gen/platform/internal/v1/vault_admin_service_pb.js";
