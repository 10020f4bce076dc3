import { Visibility } from "@platform-rpc/types";
import { type Contract, publicContract } from "./contract/contract.js";
import type { Operation } from "./contract/operation.js";
import { prepareValidator } from "./contract/request-validator.js";
import type { AccessRef } from "./domain/model/access.js";
import type { Grant } from "./domain/model/grant.js";
import { registerServices, services } from "./gen/registry.js";
import { type ClockWatch, createClockWatch } from "./jobs/clock-watch.js";
import { createSharedJobs, type JobLag, type PlatformJob } from "./jobs/shared-jobs.js";
import { createTokenUses } from "./jobs/token-uses.js";
import { createGuessLimiter } from "./limits/guess-limiter.js";
import { createRateLimiter } from "./limits/rate-limiter.js";
import { createRecentKeys } from "./limits/recent-keys.js";
import { checkPlatformOptions, checkResourceAudience, type PlatformOptions } from "./platform-options.js";
import { systemClock } from "./ports/clock.js";
import type { Secrets } from "./ports/secrets.js";
import type { Authenticator, TokenIssuer, TokenVerifier } from "./ports/tokens.js";
import { type Admit, type CountMore, createAdmission, createCountMore } from "./services/admission.js";
import { createIdentityGatewayService } from "./services/identity-gateway-service.js";
import { createOperations, type Operations, requireCalls, withGuessLimits } from "./services/operations.js";
import { readAccess } from "./services/read-access.js";
import type { Routes } from "./services/routes.js";
import { createVaultService } from "./services/vault-service.js";
import { createAuthenticator } from "./tokens/authenticator.js";
import { createTokenIssuer } from "./tokens/issuer.js";
import { createKeyRing, type KeyRing } from "./tokens/key-ring.js";
import { createProofKeys } from "./tokens/proof-keys.js";
import { createSecrets } from "./tokens/secrets.js";
import { createTokenVerifier } from "./tokens/verifier.js";

export type { PlatformOptions } from "./platform-options.js";

/**
 * The operations, the public routes with their gate, and what an application needs to run them.
 *
 * @example
 * ```ts
 * import type { Platform } from "@platform-rpc/server";
 *
 * const addVault = ({ operations }: Platform, vaultId: string) =>
 *   operations.createVault({ tenantId: "acme", vaultId, retentionDays: 30 }, call);
 * console.log(await addVault(platform, "shared"));
 * // { ok: true, vaultId: 'shared' }
 * ```
 */
export interface Platform {
  /** Every operation, including the private ones, for calls of callers. Wrong user codes are limited. */
  readonly operations: Operations;
  /** The same operations without limits, for the application's own work. Never pass a caller's input to them. */
  readonly own: Operations;
  /**
   * The public services that this package implements. Register your services of another version of the contract along with them.
   */
  readonly routes: Routes;
  /** The contract that is enforced. */
  readonly contract: Contract;
  /** Authenticates and authorizes a call: token, then allowlist, then scope, then rate. */
  readonly admit: Admit;
  /** Counts a call that does the work of several as that many calls of its rate. The gate has counted one. */
  readonly countMore: CountMore;
  readonly authenticator: Authenticator;
  /** Signs the tokens of grants: an operation for OAuth clients returns a grant, of which a response contains one token. */
  readonly tokenIssuer: TokenIssuer;
  /** Authenticates the bearers of broker tokens, such as for brokers that ask whether a token was revoked (RFC 7662). */
  readonly brokerAuthenticator: Authenticator;
  /**
   * Creates another resource that serves the same operations, such as an MCP server. Its tokens are valid only there, and it accepts no
   * others.
   *
   * @param audience the `aud` of its tokens, usually its URL.
   * @throws TypeError when the audience is empty, or that of the API or of brokers.
   */
  createResource(audience: string): PlatformResource;
  /**
   * Records which refresh families are in use, so that a refresh token that was replaced is no longer answered. A job calls it; call it
   * once more after the last call, before you close the storage. @throws StorageError (as a rejection)
   */
  recordTokenUses(): Promise<void>;
  /** The signing keys: `keyRing.jwks()` is the content of `/.well-known/jwks.json`. */
  readonly keyRing: KeyRing;
  readonly secrets: Secrets;
  readonly clockWatch: ClockWatch;
  /**
   * Watching the clock, shredding items, purging, sealing the audit trail, recording uses of tokens and rotating keys: run each at the start and then every
   * `everyMs` milliseconds. With a lease, one process shreds, purges and seals: once a minute, and at once when it gets the lease.
   */
  readonly jobs: readonly PlatformJob[];
  /** Returns how late shredding, purging and sealing were when a job last measured it. Empty before the first measurement. */
  jobLag(): readonly JobLag[];
  /**
   * Loads the validator of requests that are not certainly valid. Otherwise the first such request loads it, which delays
   * all calls by about 0.2 s. Call it once the process has served its first calls, or is idle.
   */
  prepare(): Promise<void>;
}

/** A resource with a separate audience (RFC 8707). Its calls count towards the same rate limits as those of the API. */
export interface PlatformResource {
  /** Signs the access token of a grant for this resource. The same grant always gives the same bytes. */
  signAccessToken(grant: Grant): Promise<string>;
  /** Authenticates and authorizes a call with a token of this resource, as `admit` of the platform does with one of the API. */
  readonly admit: Admit;
  readonly authenticator: Authenticator;
}

/** The public operations of all versions of the contract: those that allowlists may name. */
export const publicOperations: ReadonlyMap<string, Operation> = new Map(
  [...publicContract.operations].filter(([, { visibility }]) => visibility === Visibility.PUBLIC),
);

/**
 * Creates a platform: loads its signing keys or generates the first ones, and connects operations, tokens and limits.
 *
 * @example
 * ```ts
 * import { createMemoryKeyStore, createPlatform } from "@platform-rpc/server";
 *
 * const platform = await createPlatform({
 *   storage,
 *   keys: createMemoryKeyStore(),
 *   issuer: "https://id.example",
 *   audience: "https://api.example",
 *   brokerAudience: "https://broker.example",
 * });
 * const vault = { tenantId: "acme", vaultId: "personal", retentionDays: 30 };
 * console.log(await platform.operations.createVault(vault, call));
 * // { ok: true, vaultId: 'personal' }
 * ```
 *
 * @throws TypeError (as a rejection) that names each invalid option and what is expected, or when the audiences are equal;
 * KeyFileError when the keys cannot be loaded or saved; KeysMismatchError when they do not belong to the storage.
 */
export async function createPlatform(options: PlatformOptions): Promise<Platform> {
  checkPlatformOptions(options);
  const { storage, keys, issuer, audience, brokerAudience, clock = systemClock, contract = publicContract } = options;
  const { lease, clockWatch = createClockWatch({ storage, runId: crypto.randomUUID(), lease }) } = options;
  const readState = (ref: AccessRef) => readAccess(storage, ref);
  const tokenUses = createTokenUses({ storage, clock });
  const keyRing = await createKeyRing({ store: keys, clock, clockTrusted: () => clockWatch.trusted });
  const { rateLimiter = createRateLimiter({ clock }), guesses = createGuessLimiter({ clock }) } = options;
  const secrets = createSecrets({ hmacKey: keyRing.hmacKey, clock });
  const tokenIssuer = createTokenIssuer({ keyRing, issuer, audience, brokerAudience });
  const proofKeys = createProofKeys();
  const requiredScopes = new Map([...contract.operations].map(([name, operation]) => [name, operation.requiredScopes]));
  const unchecked = createOperations({
    storage,
    clock,
    trustedTime: () => clockWatch.trustedTime,
    secrets,
    issuer: tokenIssuer,
    proofKeys,
    requiredScopes,
  });
  const own = requireCalls(unchecked);
  const limited = (operations: Operations) => withGuessLimits(operations, guesses || undefined);
  const rates = { rateLimiter: rateLimiter || undefined, rates: { ...contract.rates, ...options.rates } };
  const admitWith = (tokensOf: Authenticator): Admit => createAdmission({ authenticator: tokensOf, ...rates });
  const authenticatorOf = (
    aud: string,
    verifier: TokenVerifier = createTokenVerifier({ keyRing, issuer, audience: aud, clock }),
    onLookup?: PlatformOptions["onTokenLookup"],
  ): Authenticator =>
    createAuthenticator({ verifier, readAccess: readState, clock, onFirstUse: tokenUses.note, onLookup });
  const authenticator = authenticatorOf(audience, options.verifier, options.onTokenLookup);
  const { onAuditSealed } = options;
  const shared = createSharedJobs({ storage, clock, secrets, clockWatch, lease, onAuditSealed });
  const requests = services.flatMap((service) => service.methods.map((method) => method.input));
  const validate = contract.createValidator(requests);
  return {
    operations: limited(own),
    own,
    routes(router) {
      const operations = limited(unchecked);
      registerServices(router, {
        identityGatewayService: createIdentityGatewayService({ operations, validate }),
        vaultService: createVaultService({ operations, delegationPage: options.delegationPage, validate }),
      });
    },
    contract,
    admit: admitWith(authenticator),
    countMore: createCountMore(rates, createRecentKeys(100_000)),
    authenticator,
    tokenIssuer,
    brokerAuthenticator: authenticatorOf(brokerAudience),
    createResource(aud) {
      checkResourceAudience(aud, [audience, brokerAudience]);
      const tokensOf = authenticatorOf(aud);
      const { signAccessToken } = createTokenIssuer({ keyRing, issuer, audience: aud, brokerAudience });
      return { signAccessToken, admit: admitWith(tokensOf), authenticator: tokensOf };
    },
    recordTokenUses: tokenUses.record,
    keyRing,
    secrets,
    clockWatch,
    jobs: [
      // Each process watches its own clock, and rotates keys: the key store saves one of the keys that are created at the same time.
      { name: "watch clock", everyMs: 10_000, run: () => clockWatch.read() },
      ...shared.jobs,
      // Each process records what it has accepted: within a second, the commit included.
      { name: "record token uses", everyMs: 500, run: tokenUses.record },
      { name: "rotate keys", everyMs: 300_000, run: () => keyRing.tick() },
    ],
    jobLag: shared.lag,
    prepare: () => prepareValidator(validate, requests),
  };
}
