import { IdentityGatewayService, VaultService } from "@platform/types";
import { constraints } from "./gen/constraints.js";
import {
  type AnswerDeviceAuthorizationDeps,
  createAnswerDeviceAuthorization,
  createGetDeviceAuthorization,
  type GuessLimits,
} from "./operations/answer-device-authorization.js";
import { createDeleteItem } from "./operations/delete-item.js";
import { createExchangeDeviceCode } from "./operations/exchange-device-code.js";
import { createGetItem } from "./operations/get-item.js";
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
import { readOperations } from "./rpc/operation.js";
import { createRequestValidator } from "./rpc/request-validator.js";
import type { Routes } from "./rpc/routes.js";
import { createVaultService } from "./rpc/vault-service.js";

export interface PlatformOptions {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly secrets: Secrets;
  readonly issuer: TokenIssuer;
  readonly authenticator: Authenticator;
  readonly proofKeys: ProofKeys;
  /** Undefined: calls are not limited. */
  readonly rateLimiter: RateLimiter | undefined;
  /** Undefined: wrong user codes are not limited. */
  readonly guesses: GuessLimiter | undefined;
  /** The rate of each limited operation, for one principal. Default: `defaultRates`. */
  readonly rates?: Readonly<Record<string, Rate>>;
  readonly guessLimits?: GuessLimits;
}

/** DeleteItem 600 a minute for a principal, burst 100. */
export const defaultRates: Readonly<Record<string, Rate>> = {
  "platform.v1.VaultService/DeleteItem": { perMinute: 600, burst: 100 },
};

/** The services of the public contract, and the operations that each allowlist may name. */
const publicServices = [VaultService, IdentityGatewayService];
export const publicOperations = readOperations(publicServices);

/**
 * Puts the platform together from its ports: every operation, the public services ready to be routed, and the part of
 * the gate that asks who calls.
 */
export function createPlatform(options: PlatformOptions) {
  const { authenticator, rateLimiter, rates = defaultRates } = options;
  const answering: AnswerDeviceAuthorizationDeps = options;
  const operations = {
    deleteItem: createDeleteItem(options),
    putItem: createPutItem(options),
    restoreItem: createRestoreItem(options),
    getItem: createGetItem(options),
    listChanges: createListChanges(options),
    shredItems: createShredItems(options),
    createVault: createCreateVault(options),
    setVaultMember: createSetVaultMember(options),
    startDeviceAuthorization: createStartDeviceAuthorization(options),
    getDeviceAuthorization: createGetDeviceAuthorization(answering),
    answerDeviceAuthorization: createAnswerDeviceAuthorization(answering),
    exchangeDeviceCode: createExchangeDeviceCode({
      ...options,
      scopesOf: (operation) => publicOperations.get(operation)?.requiredScopes ?? [],
    }),
    issueAccessToken: createIssueAccessToken(options),
    revokeToken: createRevokeToken(options),
    setOauthClient: createSetOauthClient(options),
    setPrincipal: createSetPrincipal(options),
  };
  const requests = publicServices.flatMap((service) => service.methods.map((method) => method.input));
  const validate = createRequestValidator(constraints, requests);
  const routes: Routes = (router) => {
    router.service(VaultService, createVaultService({ deleteItem: operations.deleteItem, validate }));
    router.service(
      IdentityGatewayService,
      createIdentityGatewayService({ exchangeDeviceCode: operations.exchangeDeviceCode, validate }),
    );
  };
  return { operations, routes, admit: createAdmission({ authenticator, rateLimiter, rates }) };
}

export type Platform = ReturnType<typeof createPlatform>;
