import { Visibility } from "@platform-rpc/types";
import { type Contract, publicContract } from "./contract/contract.js";
import type { Operation } from "./contract/operation.js";
import { prepareValidator } from "./contract/request-validator.js";
import type { AccessRef } from "./domain/model/access.js";
import type { Grant } from "./domain/model/grant.js";
import { registerServices, services } from "./gen/registry.js";
import { type ClockWatch, createClockWatch } from "./jobs/clock-watch.js";
import type { AuditTrailHead } from "./jobs/seal-audit.js";
import { createSharedJobs, type JobLag, type PlatformJob } from "./jobs/shared-jobs.js";
import { createTokenUses } from "./jobs/token-uses.js";
import { createGuessLimiter } from "./limits/guess-limiter.js";
import { createRateLimiter } from "./limits/rate-limiter.js";
import { createRecentKeys } from "./limits/recent-keys.js";
import { type Clock, systemClock } from "./ports/clock.js";
import type { Lease } from "./ports/lease.js";
import type { GuessLimiter, Rate, RateLimiter } from "./ports/rate-limiter.js";
import { requirePart } from "./ports/require-part.js";
import type { Secrets } from "./ports/secrets.js";
import type { Storage } from "./ports/storage.js";
import type { Authenticator, ProofKeys, TokenIssuer, TokenLookup, TokenVerifier } from "./ports/tokens.js";
import { type Admit, type CountMore, createAdmission, createCountMore } from "./services/admission.js";
import { createIdentityGatewayService } from "./services/identity-gateway-service.js";
import type { GuessLimits } from "./services/limit-guesses.js";
import { createOperations, type Operations, withGuessLimits } from "./services/operations.js";
import { readAccess } from "./services/read-access.js";
import type { Routes } from "./services/routes.js";
import { createVaultService } from "./services/vault-service.js";
import { createAuthenticator } from "./tokens/authenticator.js";
import { createTokenIssuer } from "./tokens/issuer.js";
import type { KeyStore } from "./tokens/key-file.js";
import { createKeyRing, type KeyRing } from "./tokens/key-ring.js";
import { createProofKeys } from "./tokens/proof-keys.js";
import { createSecrets } from "./tokens/secrets.js";
import { checkResourceAudience, checkTokenNames } from "./tokens/token-names.js";
import { createTokenVerifier } from "./tokens/verifier.js";

/**
 * The five settings that every platform has, and the parts that you can replace.
 *
 * @example
 * ```ts
 * import { createMemoryKeyStore, createPlatform, type PlatformOptions } from "@platform-rpc/server";
 *
 * const options: PlatformOptions = {
 *   storage,
 *   keys: createMemoryKeyStore(),
 *   issuer: "https://id.example",
 *   audience: "https://api.example",
 *   brokerAudience: "https://broker.example",
 * };
 * const { operations } = await createPlatform(options);
 * console.log(await operations.createVault({ tenantId: "acme", vaultId: "team", retentionDays: 7 }, call));
 * // { ok: true, vaultId: 'team' }
 * ```
 */
export interface PlatformOptions {
  readonly storage: Storage;
  /** Where the signing keys are kept: see `createFileKeyStore`. */
  readonly keys: KeyStore;
  /** The `iss` of every token. */
  readonly issuer: string;
  /** The `aud` of access tokens: this API. */
  readonly audience: string;
  /** The `aud` of broker tokens. */
  readonly brokerAudience: string;
  /** The operations, reasons, rates and constraints that are enforced. Default: the public contract, in all of its versions. */
  readonly contract?: Contract;
  /**
   * The rate of an operation for one principal, by operation name. Overrides those of the contract. An operation that is in neither
   * may be called 6,000 times a minute, with a burst of 1,000.
   */
  readonly rates?: Readonly<Record<string, Rate>>;
  /**
   * The URL of the page on which a person changes what they have approved, for the metadata of DELEGATION_EXHAUSTED. A function is called
   * each time: the port may be known only once the listener is open. Default: the metadata has no `page`.
   */
  readonly delegationPage?: string | (() => string | undefined) | undefined;
  /** How many wrong user codes a principal and its tenant may send in ten minutes. Default: 5 and 50. */
  readonly guessLimits?: GuessLimits;
  /** Limits the rate of calls. Default: a limiter in this process's memory. `false` disables the limit. */
  readonly rateLimiter?: RateLimiter | false | undefined;
  /** Counts wrong user codes. Default: a limiter in this process's memory. `false` disables the limit. */
  readonly guesses?: GuessLimiter | false | undefined;
  /** Default: the clock of this machine. */
  readonly clock?: Clock;
  /** Whether the clock can be trusted with shredding, purging and key rotation. Default: watches the clock of this machine. */
  readonly clockWatch?: ClockWatch;
  /**
   * The lease of the process that shreds, purges and seals the audit trail, if several processes share the storage. `clockWatch`
   * needs the same one. Default: this process does.
   */
  readonly lease?: Pick<Lease, "hold"> | undefined;
  readonly secrets?: Secrets;
  readonly tokenIssuer?: TokenIssuer;
  readonly verifier?: TokenVerifier;
  /**
   * Default: caches verified tokens for a second, and notes which refresh families are in use. Another authenticator notes nothing: the
   * use of an access token then does not show that a refresh was answered.
   */
  readonly authenticator?: Authenticator;
  /** Called each time the default authenticator looks up a token, for metrics. It must not throw. */
  readonly onTokenLookup?: (lookup: TokenLookup) => void;
  readonly proofKeys?: ProofKeys;
  /**
   * Called when the job has sealed audit records, with the newest seal. Write it to a log that this process cannot change later: only
   * a head that was kept outside the database shows that someone has computed the chain again. It must not throw.
   */
  readonly onAuditSealed?: ((head: AuditTrailHead) => void) | undefined;
}

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

/** The rates of the public operations for one principal, from the contract. */
export const defaultRates: Readonly<Record<string, Rate>> = publicContract.rates;

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
 * @throws TypeError (as a rejection) when `issuer`, `audience` or `brokerAudience` is missing, the audiences are equal, or
 * `storage` or `keys` is something else, such as a promise or a path;
 * KeyFileError when the keys cannot be loaded or saved; KeysMismatchError when they do not belong to the storage.
 */
export async function createPlatform(options: PlatformOptions): Promise<Platform> {
  checkTokenNames(Object(options));
  requirePart("storage", options.storage, "transact", "must be a storage, such as that of createSqliteStorage");
  requirePart(
    "keys",
    options.keys,
    "load",
    "must be a key store: pass createFileKeyStore(path), not the path or the keys",
  );
  const { storage, keys, issuer, audience, brokerAudience, clock = systemClock, contract = publicContract } = options;
  const { delegationPage } = options;
  const pageOf = typeof delegationPage === "function" ? delegationPage : () => delegationPage;
  const { lease, clockWatch = createClockWatch({ storage, runId: crypto.randomUUID(), lease }) } = options;
  const readState = (ref: AccessRef) => readAccess(storage, ref);
  const tokenUses = createTokenUses({ storage, clock });
  const keyRing = await createKeyRing({ store: keys, clock, clockTrusted: () => clockWatch.trusted });
  const {
    secrets = createSecrets({ hmacKey: keyRing.hmacKey, clock }),
    tokenIssuer = createTokenIssuer({ keyRing, issuer, audience, brokerAudience }),
    verifier = createTokenVerifier({ keyRing, issuer, audience, clock }),
    authenticator = createAuthenticator({
      verifier,
      readAccess: readState,
      clock,
      onFirstUse: tokenUses.note,
      onLookup: options.onTokenLookup,
    }),
    proofKeys = createProofKeys(),
    rateLimiter = createRateLimiter({ clock }),
    guesses = createGuessLimiter({ clock }),
  } = options;

  const requiredScopes = new Map([...contract.operations].map(([name, operation]) => [name, operation.requiredScopes]));
  const own = createOperations({ storage, clock, secrets, issuer: tokenIssuer, proofKeys, requiredScopes });
  const operations = withGuessLimits(own, { guesses: guesses || undefined, guessLimits: options.guessLimits });
  const rates = { rateLimiter: rateLimiter || undefined, rates: { ...contract.rates, ...options.rates } };
  const admitWith = (tokensOf: Authenticator): Admit => createAdmission({ authenticator: tokensOf, ...rates });
  const authenticatorOf = (aud: string): Authenticator =>
    createAuthenticator({
      verifier: createTokenVerifier({ keyRing, issuer, audience: aud, clock }),
      readAccess: readState,
      clock,
      onFirstUse: tokenUses.note,
    });
  const { onAuditSealed } = options;
  const shared = createSharedJobs({ storage, clock, secrets, clockWatch, lease, onAuditSealed });
  const requests = services.flatMap((service) => service.methods.map((method) => method.input));
  const validate = contract.createValidator(requests);
  return {
    operations,
    own,
    routes(router) {
      registerServices(router, {
        identityGatewayService: createIdentityGatewayService({ operations, validate }),
        vaultService: createVaultService({ operations, pageOf, validate }),
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
