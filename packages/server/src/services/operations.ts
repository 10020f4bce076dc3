import type { Clock } from "../ports/clock.js";
import type { GuessLimiter } from "../ports/rate-limiter.js";
import type { Secrets } from "../ports/secrets.js";
import type { Storage } from "../ports/storage.js";
import type { ProofKeys, TokenIssuer } from "../ports/tokens.js";
import { type AuthorizationCodeOperations, createAuthorizationCodeOperations } from "./authorization-code.js";
import { createDelegationOperations, type DelegationOperations } from "./delegations.js";
import { createDeviceAuthorizationOperations, type DeviceAuthorizationOperations } from "./device-authorization.js";
import { createExchangeOperations, type ExchangeOperations } from "./exchange-device-code.js";
import { createItemOperations, type ItemOperations } from "./items.js";
import { createLimitGuesses, type GuessLimits } from "./limit-guesses.js";
import { type ActivityOperations, createActivityOperations } from "./list-activity.js";
import { type AccessOperations, createAccessOperations } from "./manage-access.js";
import { createRecordOperations, type RecordOperations } from "./records.js";
import { createRefreshOperations, type RefreshOperations } from "./refresh-family.js";
import { createVaultOperations, type VaultOperations } from "./vaults.js";

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

/** Every operation, as a function. */
export interface Operations
  extends ItemOperations,
    VaultOperations,
    ActivityOperations,
    DeviceAuthorizationOperations,
    ExchangeOperations,
    AuthorizationCodeOperations,
    RefreshOperations,
    DelegationOperations,
    AccessOperations,
    RecordOperations {}

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
export function createOperations(deps: OperationsDeps): Operations {
  const access = createAccessOperations(deps);
  const refreshing = createRefreshOperations(deps);
  return {
    ...createItemOperations(deps),
    ...createVaultOperations(deps),
    ...createActivityOperations(deps),
    ...createDeviceAuthorizationOperations(deps),
    ...createExchangeOperations(deps),
    ...createAuthorizationCodeOperations(deps),
    ...refreshing,
    ...createDelegationOperations({ ...deps, ...access, ...refreshing }),
    ...access,
    ...createRecordOperations(deps),
  };
}

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
