import type { Clock } from "../ports/clock.js";
import type { GuessLimiter } from "../ports/rate-limiter.js";
import type { Secrets } from "../ports/secrets.js";
import type { Storage } from "../ports/storage.js";
import type { ProofKeys, TokenIssuer } from "../ports/tokens.js";
import { createAnswerDeviceAuthorization, createGetDeviceAuthorization } from "./answer-device-authorization.js";
import { createIssueAuthorizationCode, createRedeemAuthorizationCode } from "./authorization-code.js";
import { createChangeDelegation, createEndDelegation, createListDelegations } from "./delegations.js";
import { createDeleteItem } from "./delete-item.js";
import { createExchangeDeviceCode } from "./exchange-device-code.js";
import { createGetItem } from "./get-item.js";
import { createLimitGuesses, type GuessLimits } from "./limit-guesses.js";
import { createListActivity } from "./list-activity.js";
import { createListChanges } from "./list-changes.js";
import {
  createGetOauthClient,
  createIssueAccessToken,
  createListGrants,
  createRegisterOauthClient,
  createReissueAccessToken,
  createRevokeToken,
  createSetOauthClient,
  createSetPrincipal,
} from "./manage-access.js";
import { createCreateVault, createSetVaultMember } from "./manage-vault.js";
import { createGetItemAsMember, createPutItemAsMember, createRestoreItemAsMember } from "./member-items.js";
import { createListChangesAsMember, createListVaults } from "./member-vaults.js";
import { createPutItem } from "./put-item.js";
import { createRecordOperations } from "./records.js";
import {
  createListRefreshFamilies,
  createRedeemDeviceCode,
  createRefreshTokens,
  createRevokeRefreshFamily,
  createRevokeRefreshToken,
} from "./refresh-family.js";
import { createRestoreItem } from "./restore-item.js";
import { createStartDeviceAuthorization } from "./start-device-authorization.js";

/** The parts that the operations use. */
export interface OperationsDeps {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly secrets: Secrets;
  readonly issuer: TokenIssuer;
  readonly proofKeys: ProofKeys;
  /** The scopes that each operation requires, by operation. */
  readonly requiredScopes: ReadonlyMap<string, readonly string[]>;
}

/**
 * Creates every operation, public and private. `createPlatform` calls it; its result is `platform.operations`.
 *
 * @example
 * ```ts
 * const { createVault } = platform.operations;
 * console.log(await createVault({ tenantId: "acme", vaultId: "personal", retentionDays: 30 }, call));
 * // { ok: true, vaultId: 'personal' }
 * ```
 */
export function createOperations(deps: OperationsDeps) {
  const records = createRecordOperations(deps);
  return {
    /** Deletes an item in the caller's own tenant, with the caller's role (VaultService.DeleteItem). */
    deleteItem: createDeleteItem(deps),
    /** Creates or replaces an item. */
    putItem: createPutItem(deps),
    /** Restores a deleted item. */
    restoreItem: createRestoreItem(deps),
    /** Reads an item or a tombstone. */
    getItem: createGetItem(deps),
    /** Lists the items that changed after a position in a vault, each once, at its newest sequence. */
    listChanges: createListChanges(deps),
    /** Lists the vaults of which the caller is a member. */
    listVaults: createListVaults(deps),
    /** Lists changes like `listChanges`, for a member of the vault in the caller's own tenant. */
    listChangesAsMember: createListChangesAsMember(deps),
    /** Reads an item or a tombstone, for a member of the vault in the caller's own tenant. */
    getItemAsMember: createGetItemAsMember(deps),
    /** Creates or replaces an item in the caller's own tenant, with the caller's role. */
    putItemAsMember: createPutItemAsMember(deps),
    /** Restores a deleted item in the caller's own tenant, with the caller's role. */
    restoreItemAsMember: createRestoreItemAsMember(deps),
    /** Lists what the caller may see of the audit trail. */
    listActivity: createListActivity(deps),
    /** Creates a vault. */
    createVault: createCreateVault(deps),
    /** Gives a principal a role in a vault, or removes the principal from the vault. */
    setVaultMember: createSetVaultMember(deps),
    /** Starts a device authorization (RFC 8628 section 3.1). */
    startDeviceAuthorization: createStartDeviceAuthorization(deps),
    /** Reads a device authorization, for the user who is asked to approve it. */
    getDeviceAuthorization: createGetDeviceAuthorization(deps),
    /** Approves or denies a device authorization (RFC 8628 section 3.3). */
    answerDeviceAuthorization: createAnswerDeviceAuthorization(deps),
    /** Exchanges a device code for tokens (IdentityGatewayService.ExchangeMcpOauthDeviceAuthorization). */
    exchangeDeviceCode: createExchangeDeviceCode(deps),
    /** Redeems a device code for tokens and the first refresh token (RFC 8628 section 3.4), for an OAuth client without a token. */
    redeemDeviceCode: createRedeemDeviceCode(deps),
    /** Issues an authorization code for what a person has approved (RFC 6749 section 4.1.2). */
    issueAuthorizationCode: createIssueAuthorizationCode(deps),
    /** Redeems an authorization code for tokens (RFC 6749 section 4.1.3), with a refresh token if one was approved. */
    redeemAuthorizationCode: createRedeemAuthorizationCode(deps),
    /** Exchanges a refresh token for a new access token and the next refresh token (RFC 6749 section 6). */
    refreshTokens: createRefreshTokens(deps),
    /** Revokes a refresh token with its family and their access tokens (RFC 7009). */
    revokeRefreshToken: createRevokeRefreshToken(deps),
    /** Lists the refresh families of a principal that have not ended, the newest first. */
    listRefreshFamilies: createListRefreshFamilies(deps),
    /** Revokes a refresh family of the calling principal, with its access tokens. */
    revokeRefreshFamily: createRevokeRefreshFamily(deps),
    /** Lists the delegations of a principal whose tokens are valid or can be renewed. */
    listDelegations: createListDelegations(deps),
    /** Replaces the bounds of a delegation of the calling principal. */
    changeDelegation: createChangeDelegation(deps),
    /** Ends a delegation of the calling principal, with its tokens. */
    endDelegation: createEndDelegation(deps),
    /** Issues an access token. It is accepted only while its principal is active and its OAuth client enabled. */
    issueAccessToken: createIssueAccessToken(deps),
    /** Signs an access token again, as it was issued, until it expires. */
    reissueAccessToken: createReissueAccessToken(deps),
    /** Revokes a token and every token of its grant. */
    revokeToken: createRevokeToken(deps),
    /** Lists the grants of a principal whose tokens are valid. */
    listGrants: createListGrants(deps),
    /** Reads an OAuth client. */
    getOauthClient: createGetOauthClient(deps),
    /** Creates or replaces an OAuth client. */
    setOauthClient: createSetOauthClient(deps),
    /** Creates an OAuth client that registers itself, or renames it, unless an administrator has disabled it. */
    registerOauthClient: createRegisterOauthClient(deps),
    /** Creates a principal, or sets it active or inactive. */
    setPrincipal: createSetPrincipal(deps),
    /** Reads a record of the application. */
    getRecord: records.getRecord,
    /** Creates or replaces a record if the current one has the expected revision. */
    putRecord: records.putRecord,
    /** Writes several records, with a new principal and a new vault, in one commit. */
    putRecords: records.putRecords,
    /** Lists the records of a principal in the order of their keys. */
    listRecords: records.listRecords,
  };
}

/** Every operation, as a function. */
export type Operations = ReturnType<typeof createOperations>;

/** Returns the operations with a limit on wrong user codes. Without a limiter, returns them unchanged. */
export function withGuessLimits(
  operations: Operations,
  limiter: { readonly guesses: GuessLimiter | undefined; readonly guessLimits?: GuessLimits | undefined },
): Operations {
  const limited = createLimitGuesses(limiter);
  return {
    ...operations,
    getDeviceAuthorization: limited(operations.getDeviceAuthorization),
    answerDeviceAuthorization: limited(operations.answerDeviceAuthorization),
  };
}
