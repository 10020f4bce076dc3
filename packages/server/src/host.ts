/**
 * The unstable entry, made for the platform's own apps: rules, records, limiters, metrics and all types of the operations. It can change
 * in any release.
 *
 * @packageDocumentation
 */
export {
  type AuditDifference,
  type AuditLine,
  type AuditVerification,
  type AuditVerifier,
  type AuditVerifierOptions,
  createAuditVerifier,
  type VerifiedTenant,
} from "./audit/audit-verifier.js";
export { type AuditHead, sealRows, type UnsealedRows } from "./audit/seal-rows.js";
export { type Contract, type JsonWriter, type PublicReason, readContract } from "./contract/contract.js";
export type { ContractLimits } from "./contract/limits.js";
export { type Operation, readOperations } from "./contract/operation.js";
export type { ReasonSpec, Reasons } from "./contract/reasons.js";
export type { RequestValidator, Violation } from "./contract/request-validator.js";
export type {
  AnswerDeviceAuthorizationOutcome,
  Approver,
  DeviceAuthorizationAnswer,
  GetDeviceAuthorizationOutcome,
  UserCodeError,
} from "./domain/answer-device-authorization.js";
export type { ClockAgreement, ClockReading } from "./domain/clock-agreement.js";
export { type DeleteForEverOutcome, deleteForEver } from "./domain/delete-for-ever.js";
export type { DelegationExhausted, DeleteItemOutcome, RecordOfTombstone } from "./domain/delete-item.js";
export type { GetItemOutcome } from "./domain/get-item.js";
export { isSameIssuer, isSameResource } from "./domain/identifiers.js";
export type { OauthClientRegistration } from "./domain/manage-access.js";
export type { ChangeDelegationOutcome, DelegationChange } from "./domain/manage-delegation.js";
export type { CreateVaultOutcome, SetVaultMemberOutcome } from "./domain/manage-vault.js";
export type {
  AccessRef,
  AccessState,
  AdmittedCaller,
  OauthClient,
  OperationPolicy,
  Principal,
  RegisteredOauthClient,
  TokenClaims,
} from "./domain/model/access.js";
export type { Actor, AuditRecord } from "./domain/model/actor.js";
export { type AuditRow, type AuditSeal, auditEntryLine, auditLine, entriesInOrder } from "./domain/model/audit-seal.js";
export type { ApprovedAuthorization } from "./domain/model/authorization-code.js";
export {
  type Bounds,
  mostVaults,
  type VaultAction,
  type VaultDetail,
  vaultActions,
  vaultDetailOf,
} from "./domain/model/bounds.js";
export {
  type Collection,
  type CollectionOptions,
  defineCollection,
  type FoundRecord,
  RecordError,
} from "./domain/model/collection.js";
export type { Decision, Write } from "./domain/model/decision.js";
export type { Delegation } from "./domain/model/delegation.js";
export type { Consumption, DeviceAuthorization, ExchangeOutcome } from "./domain/model/device-authorization.js";
export { type Grant, type GrantedDelegation, longestTokenLife } from "./domain/model/grant.js";
export {
  type AcknowledgedChange,
  type AuditPlace,
  compareHistory,
  type DatabaseHistory,
  type HistoryComparison,
  type HistoryEvent,
  type HistoryQuery,
  type HistoryReading,
} from "./domain/model/history.js";
export type {
  EncryptedPayload,
  Item,
  ItemChange,
  ItemContent,
  ItemRef,
  ItemStatus,
  StoredItem,
  VersionConflict,
  WrappedKey,
} from "./domain/model/item.js";
export type { Link, NewRecord, RecordKey, RecordPut, Records, StoredRecord } from "./domain/model/record.js";
export {
  type LiveGrant,
  type RefreshFamily,
  type RefreshGeneration,
  refreshFamilyLife,
} from "./domain/model/refresh-family.js";
export type { Schema } from "./domain/model/schema.js";
export type {
  Access,
  AccessRejection,
  ItemSnapshot,
  MemberVault,
  RecordsSnapshot,
  Vault,
  VaultSnapshot,
} from "./domain/model/vault.js";
export type { PutItemOutcome } from "./domain/put-item.js";
export type { PutRecordOutcome, PutRecordsOutcome, PutWith, RecordEvent } from "./domain/put-record.js";
export type { RedeemCodeOutcome } from "./domain/redeem-authorization-code.js";
export type { RedeemOutcome } from "./domain/redeem-with-proof.js";
export {
  findRedirection,
  isRedirectUri,
  type Redirection,
  type RedirectTarget,
  redirectTarget,
} from "./domain/redirect-uri.js";
export type { RestoreItemOutcome } from "./domain/restore-item.js";
export type { RotateOutcome } from "./domain/rotate-refresh-token.js";
export { defineRule, type Rule } from "./domain/rule.js";
export type { ConnectHostOptions } from "./http/connect-host.js";
export type { DocumentRequest, Documents } from "./http/documents.js";
export { errorBody } from "./http/error-body.js";
export { createUnreadResponses, defaultLimits, type Limits, type UnreadResponses } from "./http/limits.js";
export type { GatedRoutes } from "./http/options.js";
export { queryContainsSecret, redactLine } from "./http/request-head.js";
export { type ClockWatch, type ClockWatchOptions, createClockWatch } from "./jobs/clock-watch.js";
export type { AuditTrailHead } from "./jobs/seal-audit.js";
export type { JobLag } from "./jobs/shared-jobs.js";
export { createGuessLimiter, type GuessLimiterOptions } from "./limits/guess-limiter.js";
export { createRateLimiter, type RateLimiterOptions } from "./limits/rate-limiter.js";
export { defaultRates, type PlatformResource, publicOperations } from "./platform.js";
export { createSteadyClock, type MachineClocks, machineClocks, type SteadyClock } from "./ports/clock.js";
export type { KeyRange, KeyValue, KeyValueCommit } from "./ports/key-value-store.js";
export type { Lease } from "./ports/lease.js";
export type {
  AuditListing,
  AuditPage,
  AuditQuery,
  ChangePage,
  ChangeQuery,
  MemberVaultQuery,
  RecordQuery,
} from "./ports/queries.js";
export type { GuessLimit, GuessLimiter, MemoryRateLimiter, Rate, RateLimiter } from "./ports/rate-limiter.js";
export type { NewAuthorizationCode, Secrets } from "./ports/secrets.js";
export type { Backlog, Committed, Ref, SealedAudit, Snapshots, TransactOptions } from "./ports/storage.js";
export type {
  Authenticated,
  Authenticator,
  ProofKeys,
  TokenIssuer,
  TokenLookup,
  TokenVerifier,
} from "./ports/tokens.js";
export type { CallTrace, TraceContext, TracedCall, TracedResult, Tracing } from "./ports/tracing.js";
export { type Admit, type CountMore, fallbackRate } from "./services/admission.js";
export type {
  AuthorizationCodeOperations,
  IssueAuthorizationCodeInput,
  RedeemAuthorizationCodeInput,
  RedeemAuthorizationCodeResult,
} from "./services/authorization-code.js";
export type {
  ChangeDelegationInput,
  DelegationOperations,
  DeletionCount,
} from "./services/delegations.js";
export type {
  DeviceAuthorizationOperations,
  StartDeviceAuthorizationInput,
  StartDeviceAuthorizationResult,
  UserCodeInput,
} from "./services/device-authorization.js";
export type { ExchangeInput, ExchangeOperations, ExchangeResult } from "./services/exchange-device-code.js";
export type { ErrorOf, ErrorsOf, ReasonOf, Rejection } from "./services/handle.js";
export { type CreateError, type Handled, handle, versionConflict } from "./services/handle.js";
export { cursorMessage, itemMessage } from "./services/item-message.js";
export type {
  DeleteItemInput,
  ItemOperations,
  ItemPlace,
  ItemResult,
  ListChangesInput,
  ListChangesResult,
  PutItemInput,
  RestoreItemInput,
  VaultPlace,
} from "./services/items.js";
export { defaultGuessLimits, type GuessLimits } from "./services/limit-guesses.js";
export type { ActivityOperations, ListActivityInput, ListActivityResult } from "./services/list-activity.js";
export type {
  AccessOperations,
  IssueAccessTokenInput,
  IssuedAccessToken,
  OauthClientRef,
  SetOauthClientInput,
} from "./services/manage-access.js";
export { createOperations, type Operations, type OperationsDeps } from "./services/operations.js";
export type { RecordOperations } from "./services/records.js";
export {
  createRecordOperations,
  type GetRecordInput,
  type PutRecordInput,
  type PutRecordsInput,
  type RecordDeps,
} from "./services/records.js";
export type {
  RedeemDeviceCodeInput,
  RedeemDeviceCodeResult,
  RefreshableGrant,
  RefreshOperations,
  RefreshTokensInput,
  RefreshTokensResult,
} from "./services/refresh-family.js";
export { collectRoutes, type Route } from "./services/routes.js";
export { RpcError, type RpcErrorOptions } from "./services/rpc-error.js";
export { delegationExhausted } from "./services/vault-service.js";
export type {
  CreateVaultInput,
  ListVaultsInput,
  ListVaultsResult,
  SetVaultMemberInput,
  VaultOperations,
} from "./services/vaults.js";
export type { Epoch } from "./storage/epoch.js";
export { type ConnectionFigures, type Histogram, noStorageFigures, type StorageFigures } from "./storage/figures.js";
export type { KeyValueStorage, KeyValueStorageOptions } from "./storage/key-value/create-key-value-storage.js";
export type { Backup } from "./storage/sqlite/backup/back-up-database.js";
export {
  DatabaseDamagedError,
  DatabaseForeignError,
  DatabaseInUseError,
  DatabaseNotCreatedError,
  DatabaseNotUpgradedError,
  DatabaseTooNewError,
  DatabaseTooOldError,
} from "./storage/sqlite/database/open-errors.js";
export type { Restored, RestoreOptions } from "./storage/sqlite/restore/restore-backup.js";
export type { BoundKeyStoreOptions } from "./tokens/bound-key-store.js";
export { type DerivedKeys, deriveKeys } from "./tokens/derived-keys.js";
export type { KeyFile, PrivateJwk, StoredKey } from "./tokens/key-file.js";
export type { KeyRing, PublicJwk } from "./tokens/key-ring.js";
