import { IdentityGatewayService, VaultService } from "@platform-rpc/types";
import { publicContract } from "./contract/contract.js";
import { readOperations } from "./contract/operation.js";
import {
  createAnswerDeviceAuthorization,
  createGetDeviceAuthorization,
} from "./operations/answer-device-authorization.js";
import { type ClockWatch, createClockWatch } from "./operations/clock-watch.js";
import { createDeleteItem } from "./operations/delete-item.js";
import { createExchangeDeviceCode } from "./operations/exchange-device-code.js";
import { createGetItem } from "./operations/get-item.js";
import { createLimitGuesses, type GuessLimits } from "./operations/limit-guesses.js";
import { createListChanges } from "./operations/list-changes.js";
import {
  createIssueAccessToken,
  createRevokeToken,
  createSetOauthClient,
  createSetPrincipal,
} from "./operations/manage-access.js";
import { createCreateVault, createSetVaultMember } from "./operations/manage-vault.js";
import { createPutItem } from "./operations/put-item.js";
import { createRestoreItem } from "./operations/restore-item.js";
import { createShredItems } from "./operations/shred-items.js";
import { createStartDeviceAuthorization } from "./operations/start-device-authorization.js";
import type { Clock } from "./ports/clock.js";
import type { GuessLimiter, Rate, RateLimiter } from "./ports/rate-limiter.js";
import type { Secrets } from "./ports/secrets.js";
import type { Storage } from "./ports/storage.js";
import type { Authenticator, ProofKeys, TokenIssuer } from "./ports/tokens.js";
import { createAdmission } from "./rpc/admission.js";
import { createIdentityGatewayService } from "./rpc/identity-gateway-service.js";
import type { Routes } from "./rpc/routes.js";
import { createVaultService } from "./rpc/vault-service.js";

/** The ports that a platform is put together from. */
export interface PlatformOptions {
  readonly storage: Storage;
  readonly clock: Clock;
  /** Says whether the time can be trusted with shredding. Default: a watch of the machine's clocks. */
  readonly clockWatch?: ClockWatch;
  readonly secrets: Secrets;
  readonly issuer: TokenIssuer;
  readonly authenticator: Authenticator;
  readonly proofKeys: ProofKeys;
  /** Undefined: calls are not limited. */
  readonly rateLimiter: RateLimiter | undefined;
  /** Undefined: wrong user codes are not limited. */
  readonly guesses: GuessLimiter | undefined;
  /** The rate of each operation, for one principal. Default: `defaultRates`. One that is not named has `fallbackRate`. */
  readonly rates?: Readonly<Record<string, Rate>>;
  readonly guessLimits?: GuessLimits;
}

/** The rates of the public operations, for one principal, as the contract has them. */
export const defaultRates: Readonly<Record<string, Rate>> = publicContract.rates;

const publicServices = [VaultService, IdentityGatewayService];
/** The operations of the public contract: those that allowlists may name. */
export const publicOperations = readOperations(publicServices);

/**
 * Puts the platform together from its ports: every operation, the public services ready to be routed, and the part of
 * the gate that asks who calls.
 *
 * @example
 * ```ts
 * import { createPlatform, createProofKeys, createRateLimiter } from "@platform-rpc/server";
 *
 * const platform = createPlatform({
 *   ...{ storage, clock, secrets, issuer, authenticator },
 *   proofKeys: createProofKeys(),
 *   rateLimiter: createRateLimiter({ clock }),
 *   guesses: undefined,
 * });
 * const vault = { tenantId: "acme", vaultId: "personal", retentionDays: 30 };
 * console.log(await platform.operations.createVault(vault, call));
 * // { ok: true, vaultId: 'personal' }
 * ```
 */
export function createPlatform(options: PlatformOptions) {
  const { authenticator, rateLimiter, rates = defaultRates, storage, secrets } = options;
  const { clockWatch = createClockWatch({ storage, runId: secrets.newId() }) } = options;
  const own = {
    /** VaultService.DeleteItem: in the caller's own tenant, with the caller's role. */
    deleteItem: createDeleteItem(options),
    /** Creates or replaces an item. */
    putItem: createPutItem(options),
    /** Brings a tombstone back to life. */
    restoreItem: createRestoreItem(options),
    /** Reads an item, tombstones included. */
    getItem: createGetItem(options),
    /** What changed in a vault after a position: each item once, at its newest sequence. */
    listChanges: createListChanges(options),
    /**
     * Shreds every tombstone whose retention has ended, and resolves with their number. Call it every minute. It works in
     * batches of 64 and returns between two of them once the signal is aborted.
     */
    shredItems: createShredItems({ storage, secrets, clockWatch }),
    /** Creates a vault. */
    createVault: createCreateVault(options),
    /** Gives a principal a role in a vault, or takes it away. */
    setVaultMember: createSetVaultMember(options),
    /** Starts a device authorization (RFC 8628 section 3.1). */
    startDeviceAuthorization: createStartDeviceAuthorization(options),
    /** Shows a device authorization to the user who is asked to approve it. */
    getDeviceAuthorization: createGetDeviceAuthorization(options),
    /** Approves or denies a device authorization (RFC 8628 section 3.3). */
    answerDeviceAuthorization: createAnswerDeviceAuthorization(options),
    /** IdentityGatewayService.ExchangeMcpOauthDeviceAuthorization. */
    exchangeDeviceCode: createExchangeDeviceCode({
      ...options,
      scopesOf: (operation) => publicOperations.get(operation)?.requiredScopes ?? [],
    }),
    /** Issues an access token; it works only while its principal is active and its OAuth client enabled. */
    issueAccessToken: createIssueAccessToken(options),
    /** Revokes a token and all of its grant. */
    revokeToken: createRevokeToken(options),
    /** Sets an OAuth client as a whole. */
    setOauthClient: createSetOauthClient(options),
    /** Makes a principal active or inactive. */
    setPrincipal: createSetPrincipal(options),
  };
  const limited = createLimitGuesses(options);
  const operations: typeof own = {
    ...own,
    getDeviceAuthorization: limited(own.getDeviceAuthorization),
    answerDeviceAuthorization: limited(own.answerDeviceAuthorization),
  };
  const requests = publicServices.flatMap((service) => service.methods.map((method) => method.input));
  const validate = publicContract.createValidator(requests);
  const routes: Routes = (router) => {
    router.service(VaultService, createVaultService({ deleteItem: operations.deleteItem, validate }));
    router.service(
      IdentityGatewayService,
      createIdentityGatewayService({ exchangeDeviceCode: operations.exchangeDeviceCode, validate }),
    );
  };
  return {
    /**
     * Every operation as callers may use it, the private ones too: what an application exposes of them is its own
     * affair. Wrong user codes are limited, whoever asks.
     */
    operations,
    /**
     * The same operations without any limit, for what the application does of its own accord, with codes that it drew
     * itself. Never for what a caller has typed.
     */
    own,
    /** The public services. */
    routes,
    /** Asks who calls: token, then allowlist, then scope, then rate. */
    admit: createAdmission({ authenticator, rateLimiter, rates }),
  };
}

/** Every operation as a function, the public routes, and their gate. */
export type Platform = ReturnType<typeof createPlatform>;
