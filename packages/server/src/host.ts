// What the private packages of this workspace use, and no other package: `exports` has this entry, and `publishConfig.exports`, which pnpm
// packs in its place, does not. It is built with the published entries, because sources or another package would be a second copy of their
// classes in one process. Its types are built alone (host-types.json): built together, the published types would import its file.
export {
  type AuditDifference,
  type AuditVerification,
  createAuditVerifier,
  type VerifiedTenant,
} from "./audit/audit-verifier.js";
export { type Contract, readContract } from "./contract/contract.js";
export { readOperations } from "./contract/operation.js";
export type { RequestValidator, Violation } from "./contract/request-validator.js";
export type { GetDeviceAuthorizationOutcome } from "./domain/answer-device-authorization.js";
export { deleteForEver } from "./domain/delete-for-ever.js";
export type { DelegationExhausted } from "./domain/delete-item.js";
export type { OauthClient, RegisteredOauthClient, TokenClaims } from "./domain/model/access.js";
export type { Actor } from "./domain/model/actor.js";
export { type AuditRow, type AuditSeal, auditEntryLine } from "./domain/model/audit-seal.js";
export {
  type Bounds,
  mostHosts,
  mostVaults,
  type VaultAction,
  type VaultDetail,
  vaultActions,
  vaultDetailOf,
} from "./domain/model/bounds.js";
export { defineCollection, type FoundRecord } from "./domain/model/collection.js";
export type { Decision, Write } from "./domain/model/decision.js";
export type { Delegation } from "./domain/model/delegation.js";
export { type Grant, longestTokenLife } from "./domain/model/grant.js";
export {
  type AcknowledgedChange,
  compareHistory,
  type DatabaseHistory,
  type HistoryComparison,
  type HistoryEvent,
  type HistoryQuery,
  type HistoryReading,
} from "./domain/model/history.js";
export { isSameIssuer, isSameResource } from "./domain/model/identifiers.js";
export type { Item, ItemContent, ItemRef, ItemStatus, VersionConflict } from "./domain/model/item.js";
export type { RecordPut } from "./domain/model/record.js";
export { findRedirection, isRedirectUri, type Redirection, redirectTarget } from "./domain/model/redirect-uri.js";
export type { RefreshFamily } from "./domain/model/refresh-family.js";
export type { AccessRejection, ItemSnapshot, MemberVault } from "./domain/model/vault.js";
export type { PutWith, RecordEvent } from "./domain/put-record.js";
export { defineRule, type Rule } from "./domain/rule.js";
export type { DocumentRequest, Documents } from "./http/documents.js";
export { errorBody } from "./http/error-body.js";
export { defaultLimits, type Limits } from "./http/limits.js";
export { createHostListener, type HostListener } from "./http/listener.js";
export { queryContainsSecret, redactLine } from "./http/request-head.js";
export { type ClockWatch, createClockWatch } from "./jobs/clock-watch.js";
export type { JobLag } from "./jobs/shared-jobs.js";
export { createGuessLimiter } from "./limits/guess-limiter.js";
export { createRateLimiter } from "./limits/rate-limiter.js";
export { type PlatformResource, publicOperations } from "./platform.js";
export { createSteadyClock, type MachineClocks, machineClocks, type SteadyClock } from "./ports/clock.js";
export type { Lease } from "./ports/lease.js";
export type { GuessLimiter, Rate, RateLimiter } from "./ports/rate-limiter.js";
export type { Secrets } from "./ports/secrets.js";
export type { Ref, Snapshots } from "./ports/storage.js";
export type { TokenLookup } from "./ports/tokens.js";
export type { Tracing } from "./ports/tracing.js";
export { type Admit, type CountMore, fallbackRate } from "./services/admission.js";
export type { UseItemResult } from "./services/delegations.js";
export type { StartDeviceAuthorizationInput } from "./services/device-authorization.js";
export { type CreateError, handle, versionConflict } from "./services/handle.js";
export { cursorMessage, itemMessage } from "./services/item-message.js";
export type { ListChangesResult, VaultPlace } from "./services/items.js";
export { defaultGuessLimits } from "./services/limit-guesses.js";
export type { IssuedAccessToken, SetOauthClientInput } from "./services/manage-access.js";
export { createRecordOperations } from "./services/records.js";
export type { RefreshableGrant } from "./services/refresh-family.js";
export { collectRoutes } from "./services/routes.js";
export { RpcError } from "./services/rpc-error.js";
export { delegationExhausted } from "./services/vault-service.js";
export { type Histogram, noStorageFigures, type StorageFigures } from "./storage/figures.js";
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
export { deriveKeys } from "./tokens/derived-keys.js";
export type { KeyRing } from "./tokens/key-ring.js";
