import { hasFunctions, must, requireOptions } from "@platform-rpc/options";
import type { Actor } from "../domain/model/actor.js";
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
import { createLimitGuesses } from "./limit-guesses.js";
import { type ActivityOperations, createActivityOperations } from "./list-activity.js";
import { type AccessOperations, createAccessOperations } from "./manage-access.js";
import { createRecordOperations, type RecordOperations } from "./records.js";
import { createRefreshOperations, type RefreshOperations } from "./refresh-family.js";
import { createVaultOperations, type VaultOperations } from "./vaults.js";

export interface OperationsDeps {
  readonly storage: Storage;
  readonly clock: Clock;
  /** Returns the wall clock at the last reading that was trusted. Undefined while it is not trusted. */
  readonly trustedTime: () => number | undefined;
  readonly secrets: Secrets;
  readonly issuer: TokenIssuer;
  readonly proofKeys: ProofKeys;
  /** The scopes that each operation requires, by operation. */
  readonly requiredScopes: ReadonlyMap<string, readonly string[]>;
}

/**
 * Every operation, as a function.
 *
 * @example
 * ```ts
 * import type { Operations } from "@platform-rpc/server";
 *
 * const { createVault }: Operations = platform.operations;
 * console.log(await createVault({ tenantId: "acme", vaultId: "family", retentionDays: 30 }, call));
 * // { ok: true, vaultId: 'family' }
 * ```
 */
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

const actorFields = Object.keys({
  tenantId: true,
  principalId: true,
  oauthClientId: true,
  tokenId: true,
  operation: true,
  requestId: true,
} satisfies Record<keyof Actor, true>);

const isCall = (value: unknown) => {
  const { actor }: { readonly actor?: unknown } = Object(value);
  return hasFunctions(value, "wanted") && actorFields.every((name) => typeof Object(actor)[name] === "string");
};
const call = must(`be the last argument: { actor, wanted }, with ${actorFields.join(", ")} of the actor`, isCall);

/**
 * Returns operations for programs, each of which first checks its last argument: the call, if there are several arguments. Calls that the
 * gate has admitted need no check.
 */
export function requireCalls(operations: Operations): Operations {
  const checked = { ...operations };
  for (const [name, operation] of Object.entries<(...args: never[]) => unknown>(checked)) {
    const { length } = operation;
    if (length < 2) continue;
    const reject = async (last: unknown) => requireOptions(name, { call: last }, { call });
    Reflect.set(checked, name, (...args: never[]) => {
      const last: unknown = args[length - 1];
      return isCall(last) ? operation(...args) : reject(last);
    });
  }
  return checked;
}

/** Creates every operation, public and private. `createPlatform` calls it; its result is `platform.operations`. */
export function createOperations(deps: OperationsDeps): Operations {
  return {
    ...createItemOperations(deps),
    ...createVaultOperations(deps),
    ...createActivityOperations(deps),
    ...createDeviceAuthorizationOperations(deps),
    ...createExchangeOperations(deps),
    ...createAuthorizationCodeOperations(deps),
    ...createRefreshOperations(deps),
    ...createDelegationOperations(deps),
    ...createAccessOperations(deps),
    ...createRecordOperations(deps),
  };
}

/** Returns the operations with a limit on wrong user codes. Without a limiter, returns them unchanged. */
export function withGuessLimits(operations: Operations, guesses: GuessLimiter | undefined): Operations {
  const limited = createLimitGuesses(guesses);
  return {
    ...operations,
    getDeviceAuthorization: limited(operations.getDeviceAuthorization),
    answerDeviceAuthorization: limited(operations.answerDeviceAuthorization),
  };
}
